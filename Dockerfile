# The site in a container, with its data in /data (docs/docker.md, docs/deploy.md).
FROM python:3.11-slim-bookworm

# Pango and HarfBuzz write the PDF of a report, pg_dump backups.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 postgresql-client-15 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 cosima \
    && install --directory --owner=cosima /data /backups /srv/cosima

USER 10001
WORKDIR /srv/cosima
COPY --chown=cosima requirements.txt ./
COPY --chown=cosima scripts scripts
# Before the code, so that a change of the code does not install all packages again.
RUN ["bash", "-euc", "export UV_NO_CACHE=1 UV_COMPILE_BYTECODE=1; . scripts/_environment; make_environment requirements.txt"]
COPY --chown=cosima . .
# The file system may be read-only afterwards.
RUN ["scripts/serve", "--install"]

ENV VAR_DIR=/data SITE_URL=http://127.0.0.1:8000 XDG_CACHE_HOME=/tmp MPLCONFIGDIR=/tmp
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD \
    ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["scripts/serve", "--host", "0.0.0.0"]

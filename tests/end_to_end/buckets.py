"""A local S3 service with a bucket, as BACKUP_URL and FILES_URL name it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import boto3
import httpx
from moto.server import ThreadedMotoServer

REGION = "eu-central-1"
BUCKET, FOLDER = "backups", "lab/cosima"
ID, SECRET = "id-of-the-lab", "secret/of+the@lab"


@contextmanager
def open_bucket() -> Iterator[tuple[str, Any]]:
    """The address of a bucket for a setting, and a client that sees what is in it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    httpx.post(f"http://{host}:{port}/moto-api/reset")  # what earlier tests left in its memory
    client = boto3.client(
        "s3", endpoint_url=f"http://{host}:{port}", aws_access_key_id=ID,
        aws_secret_access_key=SECRET, region_name=REGION,
    )  # fmt: skip
    client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    key = f"{ID}:{quote(SECRET, safe='')}"
    yield f"s3+http://{key}@{host}:{port}/{BUCKET}/{FOLDER}?region={REGION}", client
    server.stop()


def list_keys(client: Any) -> list[str]:
    """The files of the site in the bucket."""
    return [found["Key"] for found in client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]

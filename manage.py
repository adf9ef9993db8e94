#!/usr/bin/env python
import gc
import os
import sys


def main() -> None:
    """Run a command; an error that keeps the site from starting is reported in one line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    gc.set_threshold(20_000, 20, 20)  # hardly anything that is loaded is garbage; as in asgi.py
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"A setting is wrong: {error}")
    except (OperationalError, ProgrammingError) as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(
            f"The database cannot be used: {str(error).strip()}\nIf it is new or Cosima is, run "
            "`manage.py migrate`; if it is not the one you mean, set DATABASE_URL or VAR_DIR."
        )


if __name__ == "__main__":
    main()

#!/usr/bin/env python
import os
import sys


def main() -> None:
    """Run a command; what keeps the site from starting at all is told in a line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"A setting is wrong: {error}")
    except (OperationalError, ProgrammingError) as error:
        reason = str(error).strip().splitlines()[0]
        sys.exit(
            f"The database cannot be used: {reason}\n"
            "Is DATABASE_URL (or VAR_DIR) right, and was `manage.py migrate` run on it?"
        )


if __name__ == "__main__":
    main()

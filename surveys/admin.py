"""Where Django looks for the admin."""

from surveys.web import admin as admin

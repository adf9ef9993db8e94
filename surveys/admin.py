"""Load the admin's pages, which Django looks for here."""

from surveys.web import admin as admin

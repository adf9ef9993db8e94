"""The engine of background jobs: kinds, their queue in the database, and performing them."""

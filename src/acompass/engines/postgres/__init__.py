"""PostgreSQL: tables on a server, and files uploaded to it."""

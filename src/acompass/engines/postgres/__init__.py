"""PostgreSQL: tables where they live on a server, and files that are uploaded to it."""

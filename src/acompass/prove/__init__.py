"""Static verification: what a policy guarantees for every table, before it reads one."""

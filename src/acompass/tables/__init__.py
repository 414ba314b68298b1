"""Where tables come from and go to, with their types and missing values."""

-- What a commit was about and who made it, to show with what is found. NULL: taken in before.
ALTER TABLE commit_files ADD COLUMN title TEXT;
ALTER TABLE commit_files ADD COLUMN author TEXT;

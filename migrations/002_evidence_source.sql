-- Who vouches for a record that was made elsewhere and pulled; NULL for one that was made here.
ALTER TABLE evidence ADD COLUMN source TEXT;

-- Key of the manifest of the paths at which the working tree that was tested was not its commit; NULL: at none.
ALTER TABLE evidence ADD COLUMN besides TEXT;

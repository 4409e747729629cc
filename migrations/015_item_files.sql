-- Where notes are told: an edit looks up its own file, and reads no other note.
CREATE TABLE item_files (
  item_id INTEGER NOT NULL REFERENCES recall_items (id) ON DELETE CASCADE,
  file    TEXT    NOT NULL, -- a path or a glob, relative to the project
  is_path INTEGER NOT NULL, -- 0: it may be a glob
  PRIMARY KEY (item_id, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_files_by_path ON item_files (file) WHERE is_path;
CREATE INDEX item_globs ON item_files (item_id) WHERE NOT is_path;

CREATE TRIGGER item_files_of_new AFTER INSERT ON recall_items
WHEN NEW.files <> '[]' AND NEW.kind <> 'summary' BEGIN
  INSERT OR IGNORE INTO item_files
    SELECT NEW.id, value, value NOT GLOB '*[][*?{}()!+@]*' AND value NOT LIKE '%/' FROM json_each(NEW.files);
END;
CREATE TRIGGER item_files_of_changed AFTER UPDATE OF files, kind ON recall_items
WHEN OLD.files <> NEW.files OR OLD.kind <> NEW.kind BEGIN
  DELETE FROM item_files WHERE item_id = NEW.id;
  INSERT OR IGNORE INTO item_files
    SELECT NEW.id, value, value NOT GLOB '*[][*?{}()!+@]*' AND value NOT LIKE '%/' FROM json_each(NEW.files)
     WHERE NEW.kind <> 'summary';
END;
CREATE TRIGGER item_files_of_gone AFTER DELETE ON recall_items BEGIN
  DELETE FROM item_files WHERE item_id = OLD.id;
END;

INSERT OR IGNORE INTO item_files
  SELECT recall_items.id, value, value NOT GLOB '*[][*?{}()!+@]*' AND value NOT LIKE '%/'
    FROM recall_items, json_each(recall_items.files) WHERE kind <> 'summary';

-- They count each word by reading all that has it.
DROP TABLE item_terms;
DROP TABLE code_terms;

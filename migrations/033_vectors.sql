-- What the model of `recall.embeddings` makes of notes, summaries and turns, by which they are found without a common
-- word. A piece has the number of its row in `item_words`. Texts cannot be read from vectors, but they tell what a text
-- is about, so they are deleted with it.
CREATE TABLE vectors (
  piece      INTEGER PRIMARY KEY, -- an item, or a turn with the negative number of its first observation
  project_id INTEGER,             -- NULL: an item of every project
  model      TEXT NOT NULL,
  vector     BLOB NOT NULL        -- one signed byte for each dimension
) STRICT;
CREATE INDEX vectors_of_project ON vectors (project_id, model);

CREATE TRIGGER vectors_of_items AFTER DELETE ON recall_items BEGIN
  DELETE FROM vectors WHERE piece = OLD.id;
END;
CREATE TRIGGER vectors_of_turns AFTER DELETE ON observations BEGIN
  DELETE FROM vectors WHERE piece = -OLD.id;
END;

-- Turns of sessions are found by their words, in `item_words` under the negative number of the prompt. The words
-- go with any part of the turn: what is deleted is not found.
CREATE TRIGGER turn_words_go AFTER DELETE ON observations WHEN old.kind IN ('prompt', 'stop')
BEGIN
  DELETE FROM item_words WHERE rowid = -old.id;
  DELETE FROM item_words WHERE rowid = -(
    SELECT max(id) FROM observations
     WHERE agent = old.agent AND session = old.session AND kind = 'prompt' AND id < old.id)
     AND old.kind = 'stop';
END;

-- Between a prompt and its answer there are hundreds of tool calls.
CREATE INDEX observations_said ON observations (agent, session, id) WHERE kind IN ('prompt', 'stop');

-- Asked for at each prompt, edit and command; few notes have conditions.
CREATE INDEX recall_items_with_conditions ON recall_items (project_id) WHERE conditions <> '';

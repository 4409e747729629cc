-- What hooks ask, without reading every item of a large store.
CREATE INDEX notes_by_age ON recall_items (project_id, at DESC, uid)
  WHERE status = 'active' AND kind IN ('decision', 'gotcha', 'preference', 'fact', 'instruction');
CREATE INDEX recall_items_before_commands ON recall_items (project_id) WHERE commands <> '[]';

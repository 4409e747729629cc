-- The ids of a project's clones, as they stand in git's common directory. A project may have had several.
CREATE TABLE clones (
  id         TEXT    PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX clones_of_project ON clones (project_id);

-- The project that a moved clone was before, until a person decides. What tests have proven of it counts.
ALTER TABLE projects ADD COLUMN moved_from INTEGER REFERENCES projects (id);

-- What machines tell each other beside evidence and lanes: how their runs stand, answers to questions, notes.
-- Each body is sealed and signed by its author; a machine replaces only what is its own.

-- One for each machine and project: its open runs, who asks there, and which features are held.
CREATE TABLE lanehold.snapshots (
  repo_id text        NOT NULL CHECK (repo_id ~ '^[0-9a-f]{32}$'),
  host_id uuid        NOT NULL REFERENCES lanehold.hosts,
  body    bytea       NOT NULL CHECK (length(body) <= 262144),
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (repo_id, host_id)
);

-- The machine that asks decides which of them counts; the board cannot.
CREATE TABLE lanehold.answers (
  repo_id  text        NOT NULL CHECK (repo_id ~ '^[0-9a-f]{32}$'),
  question text        NOT NULL CHECK (question ~ '^[0-9A-Za-z-]{1,64}$'),
  host_id  uuid        NOT NULL REFERENCES lanehold.hosts,
  body     bytea       NOT NULL CHECK (length(body) <= 65536),
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (repo_id, question, host_id)
);

-- Revisions of notes, named by the SHA-256 of what is sealed in them: a set that only grows.
CREATE TABLE lanehold.note_revs (
  repo_id text        NOT NULL CHECK (repo_id ~ '^[0-9a-f]{32}$'),
  digest  bytea       NOT NULL CHECK (length(digest) = 32),
  body    bytea       NOT NULL CHECK (length(body) <= 65536),
  host_id uuid        NOT NULL REFERENCES lanehold.hosts,
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (repo_id, digest)
);
CREATE INDEX note_revs_of_host ON lanehold.note_revs (repo_id, host_id);

CREATE INDEX evidence_by_time ON lanehold.evidence (at);
ALTER TABLE lanehold.board ADD COLUMN tidied_at timestamptz NOT NULL DEFAULT clock_timestamp();

-- ------------------------------------------------------------------ for the owner

-- The first members of a new board.
CREATE FUNCTION lanehold.make_members(p_key_check bytea, p_password text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lanehold.board (schema, key_check) VALUES (0, p_key_check);
  RETURN lanehold.make_member(p_password);
END $$;

-- Makes the board as good as new for another key: what the old one has sealed is deleted, and each machine says it again.
-- Without a role of the members, their password is that of the owner and stays.
CREATE FUNCTION lanehold.rotate_key(p_key_check bytea, p_password text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t record; m text := (SELECT member FROM lanehold.board);
BEGIN
  FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'lanehold' AND tablename NOT IN ('board', 'hosts') LOOP
    EXECUTE format('TRUNCATE lanehold.%I CASCADE', t.tablename);
  END LOOP;
  UPDATE lanehold.board SET key_check = p_key_check;
  IF m IS NOT NULL THEN EXECUTE format('ALTER ROLE %I PASSWORD %L', m, p_password); END IF;
  RETURN m;
END $$;

-- ------------------------------------------------------------------ for members

CREATE FUNCTION lanehold.put_snapshot(p_host uuid, p_token bytea, p_repo text, p_body bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  PERFORM who(p_host, p_token);
  INSERT INTO snapshots (repo_id, host_id, body) VALUES (p_repo, p_host, p_body)
  ON CONFLICT (repo_id, host_id) DO UPDATE SET body = EXCLUDED.body, at = clock_timestamp();
END $$;

CREATE FUNCTION lanehold.get_snapshots(p_host uuid, p_token bytea, p_repo text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
BEGIN
  PERFORM who(p_host, p_token);
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('host', f.id, 'name', f.name, 'age_s', floor(extract(epoch FROM clock_timestamp() - f.at)),
      'body', encode(f.body, 'base64')) ORDER BY f.at DESC), '[]')
    FROM (SELECT h.id, h.name, s.at, s.body FROM snapshots s JOIN hosts h ON h.id = s.host_id
           WHERE s.repo_id = p_repo AND h.state <> 'left' ORDER BY s.at DESC LIMIT 100) f);
END $$;

-- `known`: this machine has answered that question before, and the first stays.
CREATE FUNCTION lanehold.put_answer(p_host uuid, p_token bytea, p_repo text, p_question text, p_body bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  PERFORM who(p_host, p_token);
  INSERT INTO answers (repo_id, question, host_id, body) VALUES (p_repo, p_question, p_host, p_body) ON CONFLICT DO NOTHING;
  RETURN CASE WHEN FOUND THEN 'stored' ELSE 'known' END;
END $$;

-- In the order in which the board got them.
CREATE FUNCTION lanehold.get_answers(p_host uuid, p_token bytea, p_repo text, p_questions text[]) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
BEGIN
  PERFORM who(p_host, p_token);
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('question', f.question, 'name', f.name, 'body', encode(f.body, 'base64')) ORDER BY f.at, f.name), '[]')
    FROM (SELECT a.question, a.body, a.at, h.name FROM answers a JOIN hosts h ON h.id = a.host_id
           WHERE a.repo_id = p_repo AND a.question = ANY (p_questions[1:500]) ORDER BY a.at, h.name LIMIT 500) f);
END $$;

-- `full`: this machine has said enough.
CREATE FUNCTION lanehold.put_note(p_host uuid, p_token bytea, p_repo text, p_digest bytea, p_body bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  PERFORM who(p_host, p_token);
  IF (SELECT count(*) FROM note_revs WHERE repo_id = p_repo AND host_id = p_host) >= 10000 THEN RETURN 'full'; END IF;
  INSERT INTO note_revs (repo_id, digest, body, host_id) VALUES (p_repo, p_digest, p_body, p_host) ON CONFLICT DO NOTHING;
  RETURN 'stored';
END $$;

-- Which revisions there are; each machine compares them with its own, so that nothing depends on what it has read before.
CREATE FUNCTION lanehold.note_digests(p_host uuid, p_token bytea, p_repo text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
BEGIN
  PERFORM who(p_host, p_token);
  RETURN (SELECT coalesce(jsonb_agg(encode(f.digest, 'hex')), '[]') FROM (SELECT digest FROM note_revs WHERE repo_id = p_repo LIMIT 50000) f);
END $$;

CREATE FUNCTION lanehold.get_notes(p_host uuid, p_token bytea, p_repo text, p_digests bytea[]) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
BEGIN
  PERFORM who(p_host, p_token);
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('digest', encode(digest, 'hex'), 'body', encode(body, 'base64'))), '[]')
    FROM note_revs WHERE repo_id = p_repo AND digest = ANY (p_digests[1:200]));
END $$;

-- Once a day at most, whoever asks. Notes stay.
CREATE FUNCTION lanehold.tidy(p_host uuid, p_token bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  PERFORM who(p_host, p_token);
  UPDATE board SET tidied_at = clock_timestamp() WHERE tidied_at < clock_timestamp() - interval '1 day';
  IF NOT FOUND THEN RETURN false; END IF;
  DELETE FROM evidence WHERE at < clock_timestamp() - interval '180 days';
  DELETE FROM answers WHERE at < clock_timestamp() - interval '90 days';
  PERFORM tidy_lanes();
  DELETE FROM snapshots WHERE at < clock_timestamp() - interval '30 days';
  RETURN true;
END $$;

-- The board of a team, schema 1. PostgreSQL 13 and later; no extension, no superuser.
-- Clients call functions only, each one statement and one transaction: nothing depends on a session, so it works
-- behind PgBouncer in transaction mode. Times are the server's. What is sealed, the server cannot read.
CREATE SCHEMA lanehold;

CREATE TABLE lanehold.board (
  one       boolean PRIMARY KEY DEFAULT true CHECK (one),
  id        uuid    NOT NULL DEFAULT gen_random_uuid(),
  schema    integer NOT NULL,  -- of these tables: the number of the newest file that was applied
  oldest    integer NOT NULL DEFAULT 1, -- protocol: hosts with an older one may no longer join
  key_check bytea   NOT NULL CHECK (length(key_check) = 32), -- HMAC of a fixed text by the team key
  member    text               -- role of the members; NULL where the owner could not make one
);

CREATE TABLE lanehold.hosts (
  id         uuid        PRIMARY KEY,
  name       text        NOT NULL CHECK (name ~ '^[a-z0-9-]{1,60}$'),
  token_hash bytea       NOT NULL CHECK (length(token_hash) = 32), -- SHA-256 of a secret that only this host has
  protocol   integer     NOT NULL,
  client     text        NOT NULL CHECK (length(client) <= 64),
  state      text        NOT NULL CHECK (state IN ('active', 'left')),
  joined_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX hosts_by_name ON lanehold.hosts (name) WHERE state = 'active';

-- Envelopes as in docs/evidence.md, sealed, found by what they are about.
CREATE TABLE lanehold.evidence (
  repo_id text        NOT NULL CHECK (repo_id ~ '^[0-9a-f]{32}$'), -- HMAC of the remote's address by the team key
  subject bytea       NOT NULL CHECK (length(subject) = 32), -- HMAC of feature and fingerprint by the team key
  digest  bytea       NOT NULL CHECK (length(digest) = 32),  -- SHA-256 of the envelope: the same one is stored once
  body    bytea       NOT NULL CHECK (length(body) <= 65536),
  host_id uuid        NOT NULL REFERENCES lanehold.hosts,
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (repo_id, subject, digest)
);
CREATE INDEX evidence_of_subject ON lanehold.evidence (repo_id, subject, at);
CREATE INDEX evidence_of_host ON lanehold.evidence (host_id, digest);

-- ------------------------------------------------------------------ for the owner

-- A role for the members. It may call the functions below and touch no table.
CREATE FUNCTION lanehold.make_member(p_password text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m text := 'lanehold_member_' || left(md5(gen_random_uuid()::text), 8);
BEGIN
  EXECUTE format('CREATE ROLE %I LOGIN PASSWORD %L', m, p_password);
  UPDATE lanehold.board SET member = m;
  RETURN m;
EXCEPTION WHEN insufficient_privilege THEN RETURN NULL;
END $$;

-- Called after each upgrade: what is declared SECURITY DEFINER is what members may call.
CREATE FUNCTION lanehold.grant_to_members() RETURNS void LANGUAGE plpgsql AS $$
DECLARE f regprocedure; m text := (SELECT member FROM lanehold.board);
BEGIN
  REVOKE ALL ON ALL FUNCTIONS IN SCHEMA lanehold FROM PUBLIC;
  IF m IS NULL THEN RETURN; END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA lanehold TO %I', m);
  FOR f IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'lanehold'::regnamespace AND prosecdef LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', f, m);
  END LOOP;
END $$;

-- ------------------------------------------------------------------ for members
-- Errors of class LH are answers: the client does not repeat the call unchanged.

-- Who calls. Each but `join_host` begins with it.
CREATE FUNCTION lanehold.who(p_host uuid, p_token bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM lanehold.hosts WHERE id = p_host AND token_hash = sha256(p_token) AND state = 'active') THEN
    RAISE EXCEPTION 'unknown host' USING ERRCODE = 'LH001';
  END IF;
  UPDATE lanehold.hosts SET seen_at = clock_timestamp() WHERE id = p_host AND seen_at < clock_timestamp() - interval '30 s';
END $$;

-- p: { name, protocol, client, key_check }
CREATE FUNCTION lanehold.join_host(p_host uuid, p_token bytea, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
DECLARE b board;
BEGIN
  SELECT * INTO STRICT b FROM board;
  IF b.key_check IS DISTINCT FROM decode(p->>'key_check', 'hex') THEN
    RAISE EXCEPTION 'key of another team' USING ERRCODE = 'LH007';
  END IF;
  IF (p->>'protocol')::int < b.oldest THEN RAISE EXCEPTION 'too old' USING ERRCODE = 'LH003'; END IF;
  INSERT INTO hosts (id, name, token_hash, protocol, client, state)
  VALUES (p_host, left(regexp_replace(lower(p->>'name'), '[^a-z0-9]+', '-', 'g'), 60), sha256(p_token), (p->>'protocol')::int, p->>'client', 'active')
  ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, protocol = EXCLUDED.protocol, client = EXCLUDED.client,
    state = 'active', seen_at = clock_timestamp() WHERE hosts.token_hash = EXCLUDED.token_hash;
  IF NOT FOUND THEN RAISE EXCEPTION 'unknown host' USING ERRCODE = 'LH001'; END IF;
  RETURN (SELECT jsonb_build_object('board', b.id, 'name', name) FROM hosts WHERE id = p_host);
END $$;

-- Of a host itself: it is gone until it joins again.
CREATE FUNCTION lanehold.leave(p_host uuid, p_token bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  PERFORM who(p_host, p_token);
  UPDATE hosts SET state = 'left' WHERE id = p_host;
END $$;

-- `full`: this host has said enough about that content.
CREATE FUNCTION lanehold.put_evidence(p_host uuid, p_token bytea, p_repo text, p_subject bytea, p_digest bytea, p_body bytea)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  PERFORM who(p_host, p_token);
  IF (SELECT count(*) FROM evidence WHERE repo_id = p_repo AND subject = p_subject AND host_id = p_host) >= 50 THEN RETURN 'full'; END IF;
  INSERT INTO evidence (repo_id, subject, digest, body, host_id) VALUES (p_repo, p_subject, p_digest, p_body, p_host) ON CONFLICT DO NOTHING;
  RETURN 'stored';
END $$;

-- Of at most 500 contents the 20 newest each, and no more than 2000 in all.
CREATE FUNCTION lanehold.get_evidence(p_host uuid, p_token bytea, p_repo text, p_subjects bytea[]) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
BEGIN
  PERFORM who(p_host, p_token);
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('subject', encode(f.subject, 'hex'), 'body', encode(f.body, 'base64'))), '[]') FROM (
    SELECT e.* FROM unnest(p_subjects[1:500]) wanted CROSS JOIN LATERAL (
      SELECT * FROM evidence WHERE repo_id = p_repo AND subject = wanted ORDER BY at DESC LIMIT 20) e LIMIT 2000) f);
END $$;

-- Which envelopes of this host the board still has: after it was restored to an earlier state, they are sent again.
CREATE FUNCTION lanehold.kept_evidence(p_host uuid, p_token bytea, p_digests bytea[]) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
BEGIN
  PERFORM who(p_host, p_token);
  RETURN (SELECT coalesce(jsonb_agg(DISTINCT encode(digest, 'hex')), '[]') FROM evidence WHERE host_id = p_host AND digest = ANY (p_digests));
END $$;

-- What `team doctor` shows.
CREATE FUNCTION lanehold.status(p_host uuid, p_token bytea) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
BEGIN
  PERFORM lanehold.who(p_host, p_token);
  RETURN jsonb_build_object(
    'now_ms', floor(extract(epoch FROM clock_timestamp()) * 1000),
    'hosts', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', h.name, 'client', h.client,
        'seen_s', floor(extract(epoch FROM clock_timestamp() - h.seen_at)), 'is_self', h.id = p_host) ORDER BY h.seen_at DESC, h.name), '[]')
      FROM (SELECT * FROM hosts WHERE state = 'active' ORDER BY seen_at DESC LIMIT 500) h));
END $$;

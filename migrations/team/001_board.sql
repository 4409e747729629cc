-- The board of a team. PostgreSQL 13 and later; no extension, no superuser.
-- Clients call functions only, each one statement and one transaction: nothing depends on a session, so it works
-- behind PgBouncer in transaction mode. Times are the server's. What is sealed, the server cannot read.
--
-- Locks are taken in one order: the row of the caller, the row of the repository, lanes. Each call may be repeated: it is
-- recognised by its revision, epoch, id or digest, and gets the same answer.
CREATE SCHEMA lanehold;

CREATE TABLE lanehold.board (
  one       boolean PRIMARY KEY DEFAULT true CHECK (one),
  id        uuid    NOT NULL DEFAULT gen_random_uuid(),
  schema    integer NOT NULL,  -- of these tables: the number of the newest file that was applied
  oldest    integer NOT NULL DEFAULT 1, -- protocol: hosts with an older one may no longer join
  key_check bytea   NOT NULL CHECK (length(key_check) = 32), -- HMAC of a fixed text by the team key
  member    text,              -- role of the members; NULL where the owner could not make one
  lease         interval    NOT NULL DEFAULT '90 s',
  grace         interval    NOT NULL DEFAULT '15 s',
  alive_at      timestamptz NOT NULL DEFAULT clock_timestamp(), -- when any host was last heard, about
  amnesty_until timestamptz NOT NULL DEFAULT '-infinity',       -- no lease lapses before
  tidied_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Proves later that a claim was given by this board; restored with it.
  secret        bytea       NOT NULL DEFAULT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid(), 'UTF8'))
);

CREATE TABLE lanehold.hosts (
  id         uuid        PRIMARY KEY,
  name       text        NOT NULL CHECK (name ~ '^[a-z0-9-]{1,60}$'),
  token_hash bytea       NOT NULL CHECK (length(token_hash) = 32), -- SHA-256 of a secret that only this host has
  protocol   integer     NOT NULL,
  client     text        NOT NULL CHECK (length(client) <= 64),
  state      text        NOT NULL CHECK (state IN ('active', 'left', 'removed')), -- removed: by the owner, for good
  joined_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  incarnation uuid,                       -- of the process that lends this machine; NULL: it never did
  boots       bigint  NOT NULL DEFAULT 0, -- its process count: the later process counts, and a copy of a machine is told
  beats       bigint  NOT NULL DEFAULT 0, -- a host that was told a greater number knows that the board was restored
  slots       integer NOT NULL DEFAULT 0 CHECK (slots BETWEEN 0 AND 1000),
  caps        text[]  NOT NULL DEFAULT '{}' CHECK (cardinality(caps) <= 100),
  lends       text    NOT NULL DEFAULT 'off' CHECK (lends IN ('off', 'on', 'draining'))
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
CREATE INDEX evidence_by_time ON lanehold.evidence (at);

-- The row lock is the one mutex of a repository.
CREATE TABLE lanehold.repos (
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$')
);

CREATE TABLE lanehold.runs (
  id         uuid    PRIMARY KEY,
  repo_id    text    NOT NULL REFERENCES lanehold.repos,
  home       uuid    NOT NULL REFERENCES lanehold.hosts, -- whose store has the run, and who integrates
  rev        integer NOT NULL,
  intent     text    NOT NULL CHECK (intent IN ('active', 'paused', 'cancelled', 'closed')),
  parallel   integer NOT NULL CHECK (parallel > 0),       -- lanes at work at once, on all hosts
  body       bytea   NOT NULL CHECK (length(body) <= 65536),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX runs_of_repo ON lanehold.runs (repo_id);

CREATE TABLE lanehold.lanes (
  id          uuid    PRIMARY KEY,
  run_id      uuid    NOT NULL REFERENCES lanehold.runs ON DELETE CASCADE,
  repo_id     text    NOT NULL REFERENCES lanehold.repos,
  seq         bigint  GENERATED ALWAYS AS IDENTITY,
  rev         integer NOT NULL,                  -- of the offer; a retry and an edit sign a new one
  body        bytea   NOT NULL CHECK (length(body) <= 65536),
  priority    integer NOT NULL,
  caps        text[]  NOT NULL CHECK (cardinality(caps) <= 100), -- what a host must have
  pinned      uuid    REFERENCES lanehold.hosts, -- nobody else ever gets it, also after its lease
  state       text    NOT NULL CHECK (state IN ('offered', 'claimed', 'finished', 'cancelled')),
  epoch       bigint  NOT NULL DEFAULT 0,        -- grows with each claim
  host_id     uuid    REFERENCES lanehold.hosts,
  lease_until timestamptz,
  stop        text    CHECK (stop IN ('cancel', 'pause')), -- told with the next beat of the holder
  lost        integer NOT NULL DEFAULT 0,        -- leases of this revision that lapsed
  outcome     text    CHECK (outcome IN ('verified', 'failed', 'asks', 'lost')),
  changed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((state = 'claimed') = (host_id IS NOT NULL AND lease_until IS NOT NULL)),
  CHECK ((state = 'finished') = (outcome IS NOT NULL))
);
CREATE INDEX lanes_of_run   ON lanehold.lanes (run_id);
CREATE INDEX claimable      ON lanehold.lanes (repo_id, priority DESC, seq) WHERE state = 'offered';
CREATE INDEX leases         ON lanehold.lanes (repo_id, lease_until)        WHERE state = 'claimed';
CREATE INDEX claimed_of_run ON lanehold.lanes (run_id)                      WHERE state = 'claimed';
CREATE INDEX lanes_of_host  ON lanehold.lanes (host_id)                     WHERE state = 'claimed';

-- Lanes whose files overlap are never at work at once. Both directions are stored.
CREATE TABLE lanehold.clashes (
  lane_id  uuid NOT NULL REFERENCES lanehold.lanes ON DELETE CASCADE,
  other_id uuid NOT NULL,
  PRIMARY KEY (lane_id, other_id)
);
CREATE INDEX clashes_of_other ON lanehold.clashes (other_id);

CREATE TABLE lanehold.refusals (
  lane_id uuid    NOT NULL REFERENCES lanehold.lanes ON DELETE CASCADE,
  rev     integer NOT NULL,
  host_id uuid    NOT NULL REFERENCES lanehold.hosts,
  why     text    NOT NULL CHECK (why IN ('signer', 'expired', 'quota', 'disk', 'policy')),
  until   timestamptz NOT NULL,
  PRIMARY KEY (lane_id, host_id, rev)
);

-- Each claim and how it ended. After the board was restored two hosts may have had one epoch, so the host is part of the key.
CREATE TABLE lanehold.claims (
  lane_id  uuid    NOT NULL REFERENCES lanehold.lanes ON DELETE CASCADE,
  epoch    bigint  NOT NULL,
  host_id  uuid    NOT NULL REFERENCES lanehold.hosts,
  rev      integer NOT NULL,
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  ended    text    CHECK (ended IN ('finished', 'released', 'lapsed', 'cancelled', 'stale')),
  answer   text,    -- that `finish` got
  outcome  text,    -- of a result, also of one that came late
  head     text    CHECK (length(head) <= 64),
  result   bytea   CHECK (length(result) <= 65536),
  PRIMARY KEY (lane_id, epoch, host_id)
);

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

-- ------------------------------------------------------------------ inner functions

CREATE FUNCTION lanehold.lock_repo(p_repo text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO lanehold.repos (id) VALUES (p_repo) ON CONFLICT DO NOTHING;
  SELECT 1 FROM lanehold.repos WHERE id = p_repo FOR UPDATE $$;

-- What a host shows again after the board has forgotten its claim.
CREATE FUNCTION lanehold.ticket(p_lane uuid, p_epoch bigint, p_host uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(secret || sha256(secret || convert_to(p_lane || ' ' || p_epoch || ' ' || p_host, 'UTF8'))), 'hex')
    FROM lanehold.board $$;

-- For what makes new work.
CREATE FUNCTION lanehold.who_is_new_enough(p_host uuid, p_token bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lanehold.who(p_host, p_token);
  IF (SELECT h.protocol < b.oldest FROM lanehold.hosts h, lanehold.board b WHERE h.id = p_host) THEN
    RAISE EXCEPTION 'too old' USING ERRCODE = 'LH003';
  END IF;
END $$;

-- The lane, locked after its repository.
CREATE FUNCTION lanehold.lock_lane(p_lane uuid) RETURNS lanehold.lanes LANGUAGE plpgsql AS $$
DECLARE l lanehold.lanes;
BEGIN
  PERFORM 1 FROM lanehold.repos WHERE id = (SELECT repo_id FROM lanehold.lanes WHERE id = p_lane) FOR UPDATE;
  SELECT * INTO l FROM lanehold.lanes WHERE id = p_lane FOR UPDATE;
  IF l.id IS NULL THEN RAISE EXCEPTION 'no such lane' USING ERRCODE = 'LH005'; END IF;
  RETURN l;
END $$;

CREATE FUNCTION lanehold.assert_home(p_run uuid, p_host uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM lanehold.runs WHERE id = p_run AND home = p_host) THEN
    RAISE EXCEPTION 'run of another machine' USING ERRCODE = 'LH006';
  END IF;
END $$;

-- What the holder of a claim needs to begin.
CREATE FUNCTION lanehold.given(l lanehold.lanes) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('lane', l.id, 'run', l.run_id, 'repo', l.repo_id, 'rev', l.rev, 'epoch', l.epoch,
    'pinned', l.pinned IS NOT NULL, 'body', encode(l.body, 'base64'), 'ticket', lanehold.ticket(l.id, l.epoch, l.host_id),
    'run_rev', u.rev, 'run_body', encode(u.body, 'base64'))
    FROM lanehold.runs u WHERE u.id = l.run_id $$;

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

CREATE FUNCTION lanehold.remove_host(p_name text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE lanehold.hosts SET state = 'removed' WHERE name = p_name AND state = 'active';
  RETURN FOUND;
END $$;

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

-- Errors of class LH are answers: the client does not repeat the call unchanged.

-- Who calls. Each but `join_host` begins with it.
CREATE FUNCTION lanehold.who(p_host uuid, p_token bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM lanehold.hosts WHERE id = p_host AND token_hash = sha256(p_token) AND state = 'active') THEN
    RAISE EXCEPTION 'unknown host' USING ERRCODE = 'LH001';
  END IF;
  UPDATE lanehold.hosts SET seen_at = clock_timestamp() WHERE id = p_host AND seen_at < clock_timestamp() - interval '30 s';
END $$;

-- One that the owner has removed does not come back. p: { name, protocol, client, key_check }
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
    state = 'active', seen_at = clock_timestamp() WHERE hosts.token_hash = EXCLUDED.token_hash AND hosts.state <> 'removed';
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

-- Begins and ends to lend this machine. Of two processes the one that was started later counts.
-- p: { incarnation, boots, protocol, client, slots, caps: [text], lends: on | draining | off }
CREATE FUNCTION lanehold.lend(p_host uuid, p_token bytea, p jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  PERFORM who(p_host, p_token);
  -- Its settings may be others by now; what it refused for a time, it still does.
  DELETE FROM refusals WHERE host_id = p_host AND until = 'infinity' AND p->>'lends' = 'on'
    AND EXISTS (SELECT 1 FROM hosts WHERE id = p_host AND boots < (p->>'boots')::bigint);
  UPDATE hosts SET incarnation = (p->>'incarnation')::uuid, boots = (p->>'boots')::bigint, protocol = (p->>'protocol')::int,
    client = p->>'client', slots = (p->>'slots')::int, caps = ARRAY(SELECT jsonb_array_elements_text(p->'caps')),
    lends = p->>'lends', seen_at = clock_timestamp()
   WHERE id = p_host AND (incarnation IS NULL OR boots < (p->>'boots')::bigint OR incarnation = (p->>'incarnation')::uuid);
  IF NOT FOUND THEN RAISE EXCEPTION 'superseded' USING ERRCODE = 'LH002'; END IF;
END $$;

-- One beat of a host: renews what it holds, gives it what it holds and does not know of, takes back what lapsed, and claims.
-- p: { incarnation, beats: number | null, free, repos: [id] | null for all, leases: [[lane, epoch, ticket]] }
CREATE FUNCTION lanehold.beat(p_host uuid, p_token bytea, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
  b board; h hosts; l lanes; t timestamptz := clock_timestamp(); v_beats bigint; v_repo text;
  v_free int := (p->>'free')::int; v_repos text[];
  v_known uuid[] := ARRAY(SELECT (e->>0)::uuid FROM jsonb_array_elements(p->'leases') e);
  v_leases jsonb; v_given jsonb; v_may_lapse boolean; v_claims boolean; v_lapses boolean; v_back boolean; v_full uuid[];
BEGIN
  PERFORM who(p_host, p_token);
  SELECT * INTO STRICT h FROM hosts WHERE id = p_host FOR NO KEY UPDATE;
  IF h.incarnation IS DISTINCT FROM (p->>'incarnation')::uuid THEN RAISE EXCEPTION 'superseded' USING ERRCODE = 'LH002'; END IF;
  UPDATE hosts SET beats = beats + 1, seen_at = t WHERE id = p_host RETURNING beats INTO v_beats;
  v_repos := CASE WHEN p->>'repos' IS NULL THEN ARRAY(SELECT id FROM repos ORDER BY 1)
    ELSE ARRAY(SELECT jsonb_array_elements_text(p->'repos') ORDER BY 1) END;
  SELECT * INTO STRICT b FROM board;
  -- Nobody was heard for long: the board was away, not the hosts. All get a whole lease to come back, but not for ever.
  IF b.alive_at < t - b.lease / 10 THEN
    UPDATE board SET alive_at = t, amnesty_until = CASE
        WHEN alive_at < t - lease / 2 AND amnesty_until < t - lease * 10 THEN t + lease + grace ELSE amnesty_until END
     WHERE alive_at < t - lease / 10;
    SELECT * INTO STRICT b FROM board;
  END IF;
  v_may_lapse := t > b.amnesty_until;
  IF h.protocol < b.oldest OR h.lends <> 'on' THEN v_free := 0; END IF;
  v_claims := v_free > 0 AND EXISTS (SELECT 1 FROM lanes WHERE repo_id = ANY (v_repos) AND state = 'offered'
                                      AND caps <@ h.caps AND (pinned IS NULL OR pinned = p_host));
  v_lapses := v_may_lapse AND EXISTS (SELECT 1 FROM lanes WHERE repo_id = ANY (v_repos) AND state = 'claimed'
                                       AND lease_until < t - b.grace AND (pinned IS NULL OR stop = 'cancel'));
  -- A later epoch than the board knows: it was restored, or failed over with loss. Who is at work goes on.
  v_back := EXISTS (SELECT 1 FROM jsonb_array_elements(p->'leases') e JOIN lanes x ON x.id = (e->>0)::uuid
                     WHERE x.state = 'offered' AND x.epoch < (e->>1)::bigint AND e->>2 = ticket(x.id, (e->>1)::bigint, p_host));
  IF v_claims OR v_lapses OR v_back THEN PERFORM 1 FROM repos WHERE id = ANY (v_repos) ORDER BY id FOR UPDATE; END IF;
  IF v_back THEN
    FOR l IN SELECT x.* FROM lanes x WHERE x.id = ANY (v_known) AND x.repo_id = ANY (v_repos) AND x.state = 'offered' ORDER BY x.id FOR UPDATE LOOP
      UPDATE lanes x SET state = 'claimed', host_id = p_host, epoch = (e->>1)::bigint, lease_until = t + b.lease, stop = NULL,
             changed_at = t
        FROM jsonb_array_elements(p->'leases') e
       WHERE x.id = l.id AND (e->>0)::uuid = l.id AND l.epoch < (e->>1)::bigint AND e->>2 = ticket(l.id, (e->>1)::bigint, p_host);
    END LOOP;
    INSERT INTO claims (lane_id, epoch, rev, host_id) SELECT x.id, x.epoch, x.rev, p_host FROM lanes x
     WHERE x.id = ANY (v_known) AND x.state = 'claimed' AND x.host_id = p_host ON CONFLICT DO NOTHING;
  END IF;

  WITH held AS (SELECT (e->>0)::uuid AS id, (e->>1)::bigint AS epoch FROM jsonb_array_elements(p->'leases') e),
  renewed AS (
    UPDATE lanes x SET lease_until = clock_timestamp() + b.lease FROM held
     WHERE x.id = held.id AND x.epoch = held.epoch AND x.host_id = p_host AND x.state = 'claimed' RETURNING x.id, x.stop)
  SELECT coalesce(jsonb_agg(jsonb_build_array(held.id, CASE WHEN n.id IS NULL THEN 'lost' ELSE coalesce(n.stop, 'ok') END)), '[]')
    INTO v_leases FROM held LEFT JOIN renewed n ON n.id = held.id;

  IF v_lapses THEN
    FOR l IN SELECT * FROM lanes WHERE repo_id = ANY (v_repos) AND state = 'claimed' AND lease_until < t - b.grace
                AND (pinned IS NULL OR stop = 'cancel') ORDER BY id LIMIT 50 FOR UPDATE LOOP
      -- Three hosts died with it: it may be what kills them.
      UPDATE lanes SET host_id = NULL, lease_until = NULL, stop = NULL, lost = lost + 1, changed_at = t,
        state = CASE WHEN l.stop = 'cancel' THEN 'cancelled' WHEN l.lost >= 2 THEN 'finished' ELSE 'offered' END,
        outcome = CASE WHEN l.stop IS DISTINCT FROM 'cancel' AND l.lost >= 2 THEN 'lost' END WHERE id = l.id;
      UPDATE claims SET ended = 'lapsed', ended_at = t WHERE lane_id = l.id AND epoch = l.epoch AND host_id = l.host_id;
    END LOOP;
  END IF;

  -- An answer that was lost on its way, or a host that has forgotten: it gets its claims again.
  SELECT coalesce(jsonb_agg(given(x)), '[]') INTO v_given FROM lanes x
   WHERE x.host_id = p_host AND x.state = 'claimed' AND x.id <> ALL (v_known);
  v_free := v_free - jsonb_array_length(v_given);

  FOREACH v_repo IN ARRAY CASE WHEN v_claims OR v_lapses THEN v_repos ELSE '{}' END LOOP
    WHILE v_free > 0 LOOP
      -- Runs are named by exclusion, so that lanes are read in the order of the index `claimable`, and the first that fits ends it.
      v_full := ARRAY(SELECT u.id FROM runs u WHERE u.repo_id = v_repo AND (u.intent <> 'active'
        OR (SELECT count(*) FROM lanes o WHERE o.run_id = u.id AND o.state = 'claimed') >= u.parallel));
      SELECT x.* INTO l FROM lanes x
       WHERE x.repo_id = v_repo AND x.state = 'offered' AND x.run_id <> ALL (v_full)
         AND x.caps <@ h.caps AND (x.pinned IS NULL OR x.pinned = p_host)
         AND NOT EXISTS (SELECT 1 FROM refusals f WHERE f.lane_id = x.id AND f.host_id = p_host AND f.rev = x.rev AND f.until > t)
         AND NOT EXISTS (SELECT 1 FROM clashes c JOIN lanes o ON o.id = c.other_id WHERE c.lane_id = x.id AND o.state = 'claimed')
       ORDER BY x.priority DESC, x.seq LIMIT 1 FOR UPDATE OF x;
      EXIT WHEN NOT FOUND;
      UPDATE lanes SET state = 'claimed', host_id = p_host, epoch = epoch + 1, stop = NULL, lease_until = clock_timestamp() + b.lease,
             changed_at = t WHERE id = l.id RETURNING * INTO l;
      INSERT INTO claims (lane_id, epoch, rev, host_id) VALUES (l.id, l.epoch, l.rev, p_host);
      v_given := v_given || given(l);
      v_free := v_free - 1;
    END LOOP;
  END LOOP;

  RETURN jsonb_build_object('beats', v_beats, 'restored', coalesce((p->>'beats')::bigint >= v_beats, false),
    'leases', v_leases, 'given', v_given, 'is_old', h.protocol < b.oldest,
    'lease_ms', floor(extract(epoch FROM b.lease) * 1000));
END $$;

-- The end of a claim. Answers: accepted, fenced (another epoch or host has it), cancelled, stale (the offer was revised).
CREATE FUNCTION lanehold.finish(p_host uuid, p_token bytea, p_lane uuid, p_epoch bigint, p_rev int, p_outcome text, p_head text,
                                p_result bytea, p_ticket text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
DECLARE l lanes; c claims; a text; t timestamptz := clock_timestamp();
BEGIN
  PERFORM who(p_host, p_token);
  IF p_outcome NOT IN ('verified', 'failed', 'asks') THEN RAISE EXCEPTION 'no such outcome' USING ERRCODE = '22023'; END IF;
  l := lock_lane(p_lane);
  SELECT * INTO c FROM claims WHERE lane_id = p_lane AND epoch = p_epoch AND host_id = p_host;
  IF c.answer IS NOT NULL THEN RETURN c.answer; END IF;
  a := CASE
    -- Also after its lease: nobody else was given it.
    WHEN l.state = 'claimed' AND l.epoch = p_epoch AND l.host_id = p_host THEN
      CASE WHEN l.stop = 'cancel' THEN 'cancelled' WHEN p_rev < l.rev THEN 'stale' ELSE 'accepted' END
    -- It lapsed, and nobody has begun: the work counts, and is not done twice.
    WHEN l.state = 'offered' AND l.epoch = p_epoch AND l.rev = p_rev AND c.ended = 'lapsed' THEN 'accepted'
    -- The board has forgotten the claim.
    WHEN l.state = 'offered' AND l.epoch < p_epoch AND l.rev <= p_rev AND p_ticket = ticket(p_lane, p_epoch, p_host) THEN 'accepted'
    ELSE 'fenced' END;
  IF a = 'fenced' THEN
    -- Kept as late work of a claim that this host had.
    UPDATE claims SET answer = a, outcome = p_outcome, head = p_head, result = p_result
     WHERE lane_id = p_lane AND epoch = p_epoch AND host_id = p_host;
    RETURN a;
  END IF;
  INSERT INTO claims (lane_id, epoch, rev, host_id, ended, ended_at, answer, outcome, head, result)
  VALUES (p_lane, p_epoch, p_rev, p_host, CASE a WHEN 'accepted' THEN 'finished' ELSE a END, t, a, p_outcome, p_head, p_result)
  ON CONFLICT (lane_id, epoch, host_id) DO UPDATE SET rev = EXCLUDED.rev, ended = EXCLUDED.ended, ended_at = t, answer = a,
    outcome = p_outcome, head = p_head, result = p_result;
  UPDATE lanes SET host_id = NULL, lease_until = NULL, stop = NULL, epoch = p_epoch, changed_at = t,
    state   = CASE a WHEN 'accepted' THEN 'finished' WHEN 'cancelled' THEN 'cancelled' ELSE 'offered' END,
    outcome = CASE a WHEN 'accepted' THEN p_outcome END WHERE id = p_lane;
  RETURN a;
END $$;

-- Gives a claim back without a result; `draining` refuses nothing. It is not counted as lost. The head is that of the last
-- checkpoint, which the next host begins with. p_wait: seconds; NULL: this host never gets that revision again.
CREATE FUNCTION lanehold.release(p_host uuid, p_token bytea, p_lane uuid, p_epoch bigint, p_why text, p_head text, p_wait int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
DECLARE l lanes; t timestamptz := clock_timestamp();
BEGIN
  PERFORM who(p_host, p_token);
  l := lock_lane(p_lane);
  IF l.state <> 'claimed' OR l.epoch <> p_epoch OR l.host_id <> p_host THEN
    RETURN CASE WHEN EXISTS (SELECT 1 FROM claims WHERE lane_id = p_lane AND epoch = p_epoch AND host_id = p_host AND ended = 'released')
      THEN 'released' ELSE 'fenced' END;
  END IF;
  UPDATE lanes SET state = CASE WHEN l.stop = 'cancel' THEN 'cancelled' ELSE 'offered' END, host_id = NULL, lease_until = NULL,
    stop = NULL, changed_at = t WHERE id = p_lane;
  UPDATE claims SET ended = 'released', ended_at = t, head = p_head WHERE lane_id = p_lane AND epoch = p_epoch AND host_id = p_host;
  IF p_why <> 'draining' THEN
    INSERT INTO refusals (lane_id, rev, host_id, why, until)
    VALUES (p_lane, l.rev, p_host, p_why, coalesce(t + make_interval(secs => p_wait), 'infinity'))
    ON CONFLICT (lane_id, host_id, rev) DO UPDATE SET why = EXCLUDED.why, until = EXCLUDED.until;
  END IF;
  RETURN 'released';
END $$;

-- Of a home: a run, or a newer revision of it. Answers: stored, older.
CREATE FUNCTION lanehold.publish_run(p_host uuid, p_token bytea, p_repo text, p_run uuid, p_rev int, p_intent text, p_parallel int,
                                     p_body bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
DECLARE u runs; t timestamptz := clock_timestamp();
BEGIN
  PERFORM who_is_new_enough(p_host, p_token);
  PERFORM lock_repo(p_repo);
  SELECT * INTO u FROM runs WHERE id = p_run;
  IF u.id IS NOT NULL THEN
    PERFORM assert_home(p_run, p_host);
    IF u.repo_id <> p_repo THEN RAISE EXCEPTION 'run of another repository' USING ERRCODE = 'LH006'; END IF;
    IF u.rev >= p_rev THEN RETURN CASE WHEN u.rev = p_rev THEN 'stored' ELSE 'older' END; END IF;
  END IF;
  INSERT INTO runs (id, repo_id, home, rev, intent, parallel, body)
  VALUES (p_run, p_repo, p_host, p_rev, p_intent, p_parallel, p_body)
  ON CONFLICT (id) DO UPDATE SET rev = EXCLUDED.rev, intent = EXCLUDED.intent, parallel = EXCLUDED.parallel, body = EXCLUDED.body,
    changed_at = t;
  IF p_intent IN ('cancelled', 'closed') THEN
    UPDATE lanes SET stop = 'cancel' WHERE run_id = p_run AND state = 'claimed';
    UPDATE lanes SET state = 'cancelled', changed_at = t WHERE run_id = p_run AND state = 'offered';
  ELSIF p_intent = 'paused' THEN
    UPDATE lanes SET stop = 'pause' WHERE run_id = p_run AND state = 'claimed' AND stop IS NULL;
  ELSE
    UPDATE lanes SET stop = NULL WHERE run_id = p_run AND stop = 'pause';
  END IF;
  RETURN 'stored';
END $$;

-- Of a home: a new lane, or a new revision of one (an edit, or a retry of one that has ended). Answers: stored, older.
-- p: { priority, caps: [text], pinned: name of a machine | null, clashes: [id] }
CREATE FUNCTION lanehold.offer(p_host uuid, p_token bytea, p_lane uuid, p_run uuid, p_rev int, p_body bytea, p jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
DECLARE u runs; l lanes; v_pinned uuid; t timestamptz := clock_timestamp();
BEGIN
  PERFORM who_is_new_enough(p_host, p_token);
  SELECT * INTO u FROM runs WHERE id = p_run;
  IF u.id IS NULL THEN RAISE EXCEPTION 'no such run' USING ERRCODE = 'LH005'; END IF;
  PERFORM assert_home(p_run, p_host);
  PERFORM lock_repo(u.repo_id);
  SELECT * INTO l FROM lanes WHERE id = p_lane FOR UPDATE;
  IF l.run_id <> p_run THEN RAISE EXCEPTION 'lane of another run' USING ERRCODE = 'LH006'; END IF;
  IF l.rev >= p_rev THEN RETURN CASE WHEN l.rev = p_rev THEN 'stored' ELSE 'older' END; END IF;
  IF p->>'pinned' IS NOT NULL THEN
    SELECT id INTO v_pinned FROM hosts WHERE name = p->>'pinned' AND state = 'active';
    IF v_pinned IS NULL THEN RAISE EXCEPTION 'no such machine' USING ERRCODE = 'LH008'; END IF;
  END IF;
  INSERT INTO lanes (id, run_id, repo_id, rev, body, priority, caps, pinned, state)
  VALUES (p_lane, p_run, u.repo_id, p_rev, p_body, (p->>'priority')::int, ARRAY(SELECT jsonb_array_elements_text(p->'caps')),
    v_pinned, 'offered')
  ON CONFLICT (id) DO UPDATE SET rev = EXCLUDED.rev, body = EXCLUDED.body, priority = EXCLUDED.priority, caps = EXCLUDED.caps,
    pinned = EXCLUDED.pinned, lost = 0, state = CASE lanes.state WHEN 'claimed' THEN 'claimed' ELSE 'offered' END, outcome = NULL,
    changed_at = t;
  DELETE FROM clashes WHERE lane_id = p_lane OR other_id = p_lane;
  INSERT INTO clashes (lane_id, other_id) SELECT p_lane, x::uuid FROM jsonb_array_elements_text(p->'clashes') x
    UNION SELECT o.id, p_lane FROM jsonb_array_elements_text(p->'clashes') x JOIN lanes o ON o.id = x::uuid ON CONFLICT DO NOTHING;
  RETURN 'stored';
END $$;

-- Of a home. Answers: asked (its holder is told), cancelled, finished (it came too late), older (a later revision is offered).
CREATE FUNCTION lanehold.cancel_lane(p_host uuid, p_token bytea, p_lane uuid, p_rev int) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
DECLARE l lanes; b board; t timestamptz := clock_timestamp();
BEGIN
  PERFORM who(p_host, p_token);
  l := lock_lane(p_lane);
  PERFORM assert_home(l.run_id, p_host);
  SELECT * INTO STRICT b FROM board;
  IF l.rev > p_rev THEN RETURN 'older'; END IF;
  IF l.state IN ('finished', 'cancelled') THEN RETURN l.state; END IF;
  -- Nobody will be told any more.
  IF l.state = 'offered' OR (l.lease_until < t - b.grace AND t > b.amnesty_until) THEN
    UPDATE lanes SET state = 'cancelled', host_id = NULL, lease_until = NULL, stop = NULL, changed_at = t
     WHERE id = p_lane;
    UPDATE claims SET ended = 'cancelled', ended_at = t WHERE lane_id = p_lane AND epoch = l.epoch AND ended IS NULL;
    RETURN 'cancelled';
  END IF;
  UPDATE lanes SET stop = 'cancel' WHERE id = p_lane;
  RETURN 'asked';
END $$;

-- The machines, and what each lends.
CREATE FUNCTION lanehold.status(p_host uuid, p_token bytea) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
BEGIN
  PERFORM lanehold.who(p_host, p_token);
  RETURN jsonb_build_object(
    'now_ms', floor(extract(epoch FROM clock_timestamp()) * 1000),
    'hosts', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', h.name, 'client', h.client,
        'seen_s', floor(extract(epoch FROM clock_timestamp() - h.seen_at)), 'is_self', h.id = p_host,
        'lends', h.lends, 'slots', h.slots, 'caps', h.caps,
        'holds', (SELECT coalesce(jsonb_agg(l.id), '[]') FROM lanes l WHERE l.host_id = h.id AND l.state = 'claimed')) ORDER BY h.seen_at DESC, h.name), '[]')
      FROM (SELECT * FROM hosts WHERE state = 'active' ORDER BY seen_at DESC LIMIT 500) h));
END $$;

-- Deletes runs that have ended 30 days ago.
CREATE FUNCTION lanehold.tidy_lanes() RETURNS void LANGUAGE sql AS $$
  DELETE FROM lanehold.runs u WHERE u.id IN (SELECT id FROM lanehold.runs WHERE intent IN ('cancelled', 'closed')
      AND changed_at < clock_timestamp() - interval '30 days' LIMIT 100)
    AND NOT EXISTS (SELECT 1 FROM lanehold.lanes l WHERE l.run_id = u.id AND l.state = 'claimed') $$;

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

-- Of a home: the revision of its run (0: the board has none of it), and the lanes that are open here or there, or have late work.
CREATE FUNCTION lanehold.home_lanes(p_host uuid, p_token bytea, p_run uuid, p_open uuid[]) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
DECLARE t timestamptz := clock_timestamp();
BEGIN
  PERFORM who(p_host, p_token);
  RETURN jsonb_build_object(
    'rev', coalesce((SELECT rev FROM runs WHERE id = p_run AND home = p_host), 0),
    'lanes', (SELECT coalesce(jsonb_agg(jsonb_build_object('lane', l.id, 'rev', l.rev, 'state', l.state, 'epoch', l.epoch,
        'host', (SELECT name FROM hosts WHERE id = l.host_id), 'lost', l.lost, 'outcome', l.outcome,
        'takers', (SELECT count(*) FROM hosts h WHERE h.state = 'active' AND h.lends = 'on' AND l.caps <@ h.caps
            AND (l.pinned IS NULL OR l.pinned = h.id)),
        'refused', (SELECT coalesce(jsonb_agg(jsonb_build_array(h.name, f.why) ORDER BY h.name), '[]')
            FROM refusals f JOIN hosts h ON h.id = f.host_id WHERE f.lane_id = l.id AND f.rev = l.rev AND f.until > t),
        'results', (SELECT coalesce(jsonb_agg(jsonb_build_object('epoch', c.epoch, 'host', c.host_id, 'name', h.name, 'rev', c.rev,
              'answer', c.answer, 'outcome', c.outcome, 'head', c.head, 'body', encode(c.result, 'base64')) ORDER BY c.epoch, c.at), '[]')
            FROM claims c JOIN hosts h ON h.id = c.host_id WHERE c.lane_id = l.id AND c.result IS NOT NULL
             AND (c.answer = 'fenced' OR (c.answer = 'accepted' AND c.epoch = l.epoch)))) ORDER BY l.seq), '[]')
      FROM lanes l JOIN runs u ON u.id = l.run_id
     WHERE l.run_id = p_run AND u.home = p_host AND (l.id = ANY (p_open) OR l.state IN ('offered', 'claimed')
       OR EXISTS (SELECT 1 FROM claims c WHERE c.lane_id = l.id AND c.answer = 'fenced'))));
END $$;

-- The runs of a repository that are not over.
CREATE FUNCTION lanehold.open_runs(p_host uuid, p_token bytea, p_repo text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp AS $$
BEGIN
  PERFORM who(p_host, p_token);
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('run', u.id, 'rev', u.rev, 'parallel', u.parallel,
      'body', encode(u.body, 'base64')) ORDER BY u.created_at), '[]')
    FROM runs u WHERE u.repo_id = p_repo AND u.intent IN ('active', 'paused'));
END $$;

-- Makes the caller the home of a run whose home was not heard for a lease; what is offered and claimed goes on.
CREATE FUNCTION lanehold.take_over(p_host uuid, p_token bytea, p_run uuid) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lanehold, pg_temp SET lock_timeout = '5s' AS $$
DECLARE u runs; b board;
BEGIN
  PERFORM who_is_new_enough(p_host, p_token);
  SELECT * INTO STRICT b FROM board;
  PERFORM lock_repo((SELECT repo_id FROM runs WHERE id = p_run));
  SELECT * INTO u FROM runs WHERE id = p_run FOR UPDATE;
  IF u.id IS NULL THEN RAISE EXCEPTION 'no such run' USING ERRCODE = 'LH005'; END IF;
  -- When a machine was seen is noted every 30 seconds at most.
  IF u.home <> p_host AND EXISTS (SELECT 1 FROM hosts WHERE id = u.home AND state = 'active'
      AND seen_at > clock_timestamp() - b.lease - b.grace - least(interval '30 s', b.lease)) THEN
    RAISE EXCEPTION 'its home is there' USING ERRCODE = 'LH009';
  END IF;
  UPDATE runs SET home = p_host WHERE id = p_run;
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('lane', id, 'rev', rev, 'priority', priority, 'body', encode(body, 'base64')) ORDER BY seq), '[]')
    FROM lanes WHERE run_id = p_run AND state <> 'cancelled');
END $$;

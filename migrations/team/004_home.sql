-- Schema 4: what the home of a run has to know of it, in one answer, and another machine that becomes its home.

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
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('run', u.id, 'rev', u.rev, 'name', h.name, 'parallel', u.parallel,
      'body', encode(u.body, 'base64')) ORDER BY u.created_at), '[]')
    FROM runs u JOIN hosts h ON h.id = u.home WHERE u.repo_id = p_repo AND u.intent IN ('active', 'paused'));
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
  UPDATE runs SET home = p_host, changed = next_change(u.repo_id) WHERE id = p_run;
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('lane', id, 'rev', rev, 'priority', priority, 'body', encode(body, 'base64')) ORDER BY seq), '[]')
    FROM lanes WHERE run_id = p_run AND state <> 'cancelled');
END $$;

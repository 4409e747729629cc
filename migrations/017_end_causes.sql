-- What ended an attempt, beside the sentence that tells it to people.
ALTER TABLE attempts ADD COLUMN end_cause TEXT;
-- It was the first word of the sentence.
UPDATE attempts
   SET end_cause = replace(substr(end_detail, 1, instr(end_detail, ':') - 1), '_', '-'),
       end_detail = substr(end_detail, instr(end_detail, ':') + 2)
 WHERE end_reason IN ('parked', 'rejected', 'crashed', 'timeout')
   AND substr(end_detail, 1, instr(end_detail, ':') - 1) IN (
     'budget', 'disk', 'login', 'no_change', 'paused', 'quota', 'scope', 'tests_removed', 'transient', 'validation');
UPDATE attempts SET end_cause = 'paused', end_detail = substr(end_detail, 8)
 WHERE end_reason = 'parked' AND end_detail LIKE 'paused %';
UPDATE attempts
   SET end_cause = substr(end_detail, 6, instr(end_detail, ' ') - 6),
       end_detail = substr(end_detail, instr(end_detail, ' ') + 1)
 WHERE state = 'exited' AND end_detail LIKE 'stop:% %';

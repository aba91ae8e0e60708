-- title: Rejections
-- what: What was thrown away while collecting, building and validating, and why; of everything in this database, not only of the
--   dataset version reported on. The subject is the first of its kind.
-- paper: no table of its own
SELECT
    stage,
    reason,
    sum(rejected)::BIGINT AS rejected,
    min(first_subject) AS subject,
    arg_min(first_detail, first_subject) AS detail,
    CASE WHEN bool_and(sample) THEN 'sample' WHEN bool_and(NOT sample) THEN 'real' ELSE 'unknown' END AS data
FROM rejection_overview
GROUP BY stage, reason
ORDER BY list_position(['collect', 'build', 'validate'], stage) NULLS LAST, stage, rejected DESC, reason

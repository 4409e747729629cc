/** Words of a prompt that are never searched for. */
export const COMMON_WORDS = `
  a about above after again all also am an and any are as at be because been before being below
  between both but by can could did do does doing done don down during each else every few for from
  further get gets getting go goes going got had has have having he her here him his how i if in into
  is it its itself just let lets like make makes me might more most must my need needs no nor not now
  of off ok okay on once one only or other our out over own please put same see shall she should so
  some still such sure than that the their them then there these they thing things this those through
  to too under until up us use used uses using very via want wants was way we well were what when
  where which while who whom why will with without work works would yes yet you your add added adds
  change changed changes code file files fix fixed fixes function new old return returns set update
  updated updates try thanks thank look looks hi oh eg ie vs re ve ll`;

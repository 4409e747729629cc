/**
 * Words of a prompt that are never searched for, each as the stemmer writes it (`befor`): to stem them takes longer than
 * to search for the others.
 */
export const COMMON_WORDS = `
  a about abov after again all also am an and ani ar as at be becaus been befor below between both but by can
  could did do doe done don down dure each els ever few for from further get go goe got had ha have he her here
  him hi how i if in into is it itself just let like make me might more most must my need no nor not now of off
  ok okai on onc onli or other our out over own pleas put same see shall she should so some still such sure than
  that the their them then there these thei thing thi those through to too under until up us veri via want wa
  wai we well were what when where which while who whom why will with without work would ye yet you your add ad
  chang code file fix function new old return set updat try thank look oh eg ie vs re ve ll`;

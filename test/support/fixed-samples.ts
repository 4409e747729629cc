/**
 * In CI, properties are tried on the same samples each time, so that a red run is about the change
 * it ran for. Elsewhere they are new with every run; what one finds is shown with its seed.
 */
import fc from 'fast-check';

if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });

// What the settings of agents start for a status line. CommonJS, because that starts quicker.
const { enableCompileCache } = require('node:module');

enableCompileCache?.();
require('../dist/statusline.cjs')
  .main(process.argv.slice(2))
  // It ends the process, unless it could not tell.
  .then(() => process.stdout.write('lanehold: cannot tell, see `lanehold doctor`\n'));

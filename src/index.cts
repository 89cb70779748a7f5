// Who requires the package gets the very module that others import, so that there is one engine.
module.exports = require('./index.js')

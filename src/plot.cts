// Who requires it gets the very module that others import.
module.exports = require('./plot.js')

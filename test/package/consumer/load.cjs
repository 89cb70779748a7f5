const assert = require('node:assert/strict')

import('findling')
  .then(imported => {
    assert.equal(typeof imported.Engine.open, 'function')
    assert.equal(require('findling').Engine, imported.Engine, 'import and require load two engines')
    return import('findling/extract')
  })
  .then(imported => {
    assert.equal(require('findling/extract').Extractor, imported.Extractor)
    return import('findling/plot')
  })
  .then(imported => {
    assert.equal(require('findling/plot').bars, imported.bars)
  })

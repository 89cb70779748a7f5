const assert = require('node:assert/strict')

async function main() {
  for (const entry of ['@findling/client', '@findling/client/search']) {
    const [imported, required] = [await import(entry), require(entry)]
    assert.deepEqual(
      Object.keys(imported)
        .filter(name => name !== 'default' && name !== 'module.exports')
        .sort(),
      Object.keys(required).sort(),
    )
    for (const { createClient = required.createSearch } of [imported, required])
      assert.equal(typeof createClient, 'function')
    // Nobody listens there.
    const call = imported.createSearch ?? (settings => imported.createClient(settings).dataset('shop'))
    const { failure } = await call({ baseAddress: 'http://127.0.0.1:9', retries: 0 }).search({
      text: 'drill',
    })
    assert.equal(failure, 'offline')
  }
}

main()

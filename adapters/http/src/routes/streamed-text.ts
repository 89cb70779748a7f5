/** A text as a stream. Waits for the first piece, because problems with the request must show before the status is sent. */
export async function streamOf(
  text: AsyncGenerator<string, void, void>,
): Promise<ReadableStream<Uint8Array>> {
  const first = await text.next()
  return ReadableStream.from(startingWith(first, text)).pipeThrough(new TextEncoderStream())
}

async function* startingWith(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void, void>,
): AsyncGenerator<string> {
  try {
    if (!first.done) yield first.value
    yield* rest
  } finally {
    await rest.return()
  }
}

import { Engine, type EngineOptions } from 'findling'

/** Opens an engine for what is made of it, and closes it again where that fails. */
export async function withEngine<T>(
  options: EngineOptions,
  make: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await Engine.open(options)
  try {
    return await make(engine)
  } catch (error) {
    await engine.close()
    throw error
  }
}

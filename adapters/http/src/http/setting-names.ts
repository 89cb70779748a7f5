/** What an operator sets or does, by what errors of the engine call it. */
const operators: Readonly<Record<string, string>> = {
  'documentLimits.values': 'FINDLING_MAX_DOCUMENT_VALUES',
  'documentLimits.text': 'FINDLING_MAX_DOCUMENT_MB',
  'a larger timeLimitMs': 'a larger FINDLING_FILE_TIMEOUT_MS',
  'a larger memoryLimit': 'a larger FINDLING_FILE_MEMORY_MB',
  'a larger unpackedLimit': 'a larger FINDLING_FILE_UNPACKED_MB',
  'a larger textLimit': 'a larger FINDLING_FILE_CHARACTERS',
  'Close the engine and open it again': 'The server has to be restarted',
}

/** An error of the engine for callers of the server: with the names of the server's settings. */
export function withSettingNames(message: string): string {
  return Object.entries(operators).reduce((text, [option, name]) => text.replaceAll(option, name), message)
}

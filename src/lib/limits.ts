const MIB = 1024 * 1024

/** A number, its unit, what it bounds, and what happens at it. docs/limits.md lists the same, held equal by a test. */
type Limit = readonly [value: number, unit: string, bounds: string, answer: string]

/**
 * The most that one request, connection, file or tenant may take of what all share. Rules of the interface are with their
 * operation.
 */
export const LIMITS = {
  connections: [
    10_000,
    'connections',
    "open connections, where half of the process's descriptors is not less; `MAX_CONNECTIONS` sets another number",
    'idle ones are closed, a new one is refused',
  ],
  requestsWaiting: [
    64,
    'requests',
    'requests on one connection that wait for their answers',
    '429, and the end of the connection',
  ],
  headersMs: [20_000, 'milliseconds', 'the time in which the headers of a request must have arrived', '408'],
  requestMs: [60_000, 'milliseconds', 'the time in which a request must have arrived, an import aside', '408'],
  streamBytesPerSecond: [1_024, 'bytes a second', 'the slowest import, past `requestMs` of waiting for it', '408'],
  unreadBodyMs: [2_000, 'milliseconds', 'the time for the rest of a body that is refused', 'the end of the connection'],
  bodyBytes: [MIB, 'bytes', 'a JSON body', '413'],
  bodyParts: [20_000, 'parts', 'the pieces in which a JSON body comes', '413'],
  bodyDepth: [32, 'levels', 'arrays and objects in each other in a JSON body', '400'],
  queryValueChars: [4_096, 'characters', 'a value in a query', '422'],
  pathParamChars: [65_536, 'characters', 'an id in a path', '404'],
  errorDetails: [100, 'items', 'what a 422 lists', 'the rest is left out'],
  scrapeKeptMs: [
    5_000,
    'milliseconds',
    'how old `/metrics` may be, and the posts by status of `/status`',
    'one scrape serves all',
  ],
  scanRows: [25_000, 'rows', 'a VIP list (interface 8)', '`scanCapped`'],
  importLineBytes: [MIB, 'bytes', 'a line of an import', 'the line is rejected'],
  importRejectsListed: [100, 'lines', 'the rejected lines that an import lists', 'the rest is counted'],
  graphAnswerBytes: [16 * MIB, 'bytes', 'an answer of the ad platform', '502'],
  logBufferChars: [
    8 * MIB,
    'characters',
    'log lines that wait for their reader',
    'further lines are dropped and counted',
  ],
} as const satisfies Record<string, Limit>

/** The value of a limit. */
export const limit = (name: keyof typeof LIMITS): number => LIMITS[name][0]

const MIB = 1024 * 1024

/** A number, its unit, what it bounds, and what happens at it. docs/limits.md lists the same, held equal by a test. */
type Limit = readonly [value: number, unit: string, bounds: string, answer: string]

/**
 * The most that one request, connection, file or tenant may take of what all share. Rules of the interface are with their
 * operation.
 */
export const LIMITS = {
  bodyBytes: [MIB, 'bytes', 'a JSON body', '413'],
  bodyDepth: [32, 'levels', 'arrays and objects in each other in a JSON body', '400'],
  pathParamChars: [65_536, 'characters', 'an id in a path', '404'],
  errorDetails: [100, 'items', 'what a 422 lists', 'the rest is left out'],
  scanRows: [25_000, 'rows', 'a VIP list (interface 8)', '`scanCapped`'],
  importLineBytes: [MIB, 'bytes', 'a line of an import', 'the line is rejected'],
  importsPerChannel: [1, 'imports', 'a channel at a time, on all nodes', '409'],
  importBytesPerSecond: [1024, 'bytes', 'what an import brings a second at least', '408'],
  importSlackMs: [30_000, 'ms', 'how far an import may be behind that', '408'],
  turnMs: [2, 'ms', 'what an import takes of the one thread at once', 'others have their turn'],
  importRejectsListed: [100, 'lines', 'the rejected lines that an import lists', 'the rest is counted'],
  databaseWalBytes: [64 * MIB, 'bytes', 'what the embedded database logs between two vacuums', 'it is vacuumed'],
  engineDescriptors: [
    128,
    'descriptors',
    'the open files of the embedded database, kept aside for it',
    'it closes the one least recently used',
  ],
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

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
  bodyParts: [4_096, 'parts', 'the pieces in which a JSON body comes', '413'],
  streamPartBytes: [32, 'bytes', 'the average piece of an import that comes in more than `bodyParts`', '413'],
  unreadBodyParts: [1_024, 'parts', 'the pieces that are read of a body that is refused', 'the end of the connection'],
  bodyDepth: [32, 'levels', 'arrays and objects in each other in a JSON body', '400'],
  bodyValues: [20_000, 'values', 'the members of all arrays and objects in a JSON body', '400'],
  postBytes: [MIB, 'bytes', 'a post as stored: its media, notes, captions and superpowers', '400'],
  captionChars: [
    126_412,
    'characters',
    'a caption: the 63,206 of a Facebook page, each at most two UTF-16 units',
    '422',
  ],
  notesChars: [10_000, 'characters', 'the notes of a post', '422'],
  superpowerTextChars: [10_000, 'characters', 'a text in a superpower', '422'],
  superpowerItems: [100, 'items', 'an array in a superpower', '422'],
  superpowerValues: [1_000, 'items', '`values` and `aiValues` of a condition', '422'],
  queryValueChars: [4_096, 'characters', 'a value in a query', '422'],
  pathParamChars: [65_536, 'characters', 'an id in a path', '404'],
  errorDetails: [100, 'items', 'what a 422 lists', 'the rest is left out'],
  pageBytes: [4 * MIB, 'bytes', 'what a page of a list holds, as stored', 'the page is shorter; `x-next-cursor`'],
  historyRun: [
    20,
    'changes',
    'what one caller leaves an hour by changing the same fields of a post',
    'further ones have no entry',
  ],
  accessEntries: [
    50_000,
    'entries',
    'keys, organizations and channels of workspaces that a process remembers',
    'the least recently used is read again',
  ],
  changesWaiting: [100, 'changes', 'changes of one organization that wait on a node for its other ones', '503'],
  changeWaitMs: [5_000, 'milliseconds', 'how long a change waits for others of its organization', '503'],
  lockWaitMs: [5_000, 'milliseconds', 'how long a change waits for a row that another one holds', '503'],
  statementMs: [25_000, 'milliseconds', 'a statement on PostgreSQL, migrations aside', '503'],
  idleInTransactionMs: [
    20_000,
    'milliseconds',
    'a transaction on PostgreSQL whose node says nothing',
    'the end of the transaction',
  ],
  commitMs: [10_000, 'milliseconds', 'how long a change waits for PostgreSQL to have stored it', '503'],
  mediaBytes: [1024 * MIB, 'bytes', 'an uploaded file: what a Facebook page takes from a URL', '413'],
  mediaHeadBytes: [MIB, 'bytes', 'the start of an image in which its dimensions must stand', '400'],
  mediaUploads: [4, 'uploads', 'an organization at a time, in each process', '409'],
  mediaOrganizationBytes: [20 * 1024 * MIB, 'bytes', 'the uploaded files of an organization', '409'],
  keyAddresses: [100, 'items', 'the allowed addresses of a key', '422'],
  keyUsesMs: [
    60_000,
    'milliseconds',
    'how long a process keeps when keys were last used before it writes it',
    'a killed one loses it',
  ],
  keyRequestsPerSecond: [
    1_000,
    'requests',
    'a second with one key, on one process, in bursts of twice as many; `KEY_REQUESTS_PER_SECOND`, and each key may have its own',
    '429',
  ],
  importsPerMinute: [60, 'imports', 'a minute of one organization, on one process; `IMPORTS_PER_MINUTE`', '429'],
  insightsPerMinute: [
    600,
    'requests',
    'for insights a minute of one organization, on one process; `INSIGHTS_PER_MINUTE`',
    '429',
  ],
  failedAttemptsPerMinute: [
    20,
    'attempts',
    'to authenticate that fail a minute from one address (an IPv6 one by its /64), on one process; `FAILED_ATTEMPTS_PER_MINUTE`',
    '429, and a wait from a second on that doubles',
  ],
  failedWaitMs: [900_000, 'milliseconds', 'the wait after failed attempts', 'it doubles no more'],
  failedAddresses: [
    10_000,
    'addresses',
    'that failed to authenticate and are kept in memory',
    'the one that failed the longest ago is forgotten',
  ],
  rateBuckets: [
    10_000,
    'keys',
    'whose rate is kept in memory, and as many organizations for each other rate',
    'the one least recently used begins again',
  ],
  scrapeKeptMs: [
    5_000,
    'milliseconds',
    'how old `/metrics` may be, and the posts by status of `/status`',
    'one scrape serves all',
  ],
  scanRows: [25_000, 'rows', 'a VIP list (interface 8)', '`scanCapped`'],
  nameChars: [256, 'characters', 'a name of a person in an import', 'the line is rejected'],
  pictureChars: [2_048, 'characters', "the URL of a person's picture in an import", 'the line is rejected'],
  importLineBytes: [MIB, 'bytes', 'a line of an import', 'the line is rejected'],
  importsPerChannel: [1, 'imports', 'a channel at a time, on all nodes', '409'],
  turnMs: [2, 'milliseconds', 'what an import takes of the one thread at once', 'others have their turn'],
  importRejectsListed: [100, 'lines', 'the rejected lines that an import lists', 'the rest is counted'],
  databaseWalBytes: [64 * MIB, 'bytes', 'what the embedded database logs between two vacuums', 'it is vacuumed'],
  engineDescriptors: [
    128,
    'descriptors',
    'the open files of the embedded database, kept aside for it',
    'it closes the one least recently used',
  ],
  passwordsAtOnce: [2, 'passwords', 'passwords that are hashed at a time, each in 32 MiB', 'the next ones wait'],
  passwordsWaiting: [32, 'passwords', 'passwords that wait to be hashed', '503'],
  sessionsPerPerson: [50, 'sessions', 'the sessions of a person', 'the oldest ends'],
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

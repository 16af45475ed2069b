import { fsync, fsyncSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import type { Descriptors } from './descriptors.js'
import { isFullDisk } from './disk-errors.js'
import type { DiskUsage } from './disk-usage.js'

/** The engine's file system operations, from its WebAssembly module. All of it is checked at start. */
interface NodeFsModule {
  NODEFS: Record<Kind, Record<string, unknown>>
}

const KINDS = ['node_ops', 'stream_ops'] as const
type Kind = (typeof KINDS)[number]

/** Operations that change what is on disk, or end what can be synced. */
const CHANGES = {
  node_ops: ['setattr', 'mknod', 'rename', 'unlink', 'rmdir', 'symlink'],
  stream_ops: ['setattr', 'write', 'msync', 'close'],
} as const

/**
 * Operations that open files. The engine survives a failed one, but its list of files then differs from the disk's, and
 * every further write may fail ("File exists").
 */
const OPENINGS = {
  node_ops: ['mknod', 'readdir'],
  stream_ops: ['open'],
} as const

/** The numbers of EMFILE and ENFILE in the engine's file system. */
export const NO_DESCRIPTORS: readonly unknown[] = [33, 41]

export interface DurableDirectory {
  directory: string
  /** Throws if another process has the directory, in which case nothing in it may be changed. */
  assertHeld(): void
  descriptors: Descriptors
  usage: DiskUsage
  /** Called for each write that finds the disk full. The engine may survive, so that only a statement fails. */
  onFullDisk?: ((error: unknown) => void) | undefined
}

/**
 * PGlite's directory on disk, with the fsync that it lacks. A sync takes about a millisecond, in which requests could be
 * answered. So it is deferred until the engine has returned, and then awaited (`settle`) before the caller learns what the
 * engine did. It never moves past the engine's next change of a file, which makes up for it first. So whenever the power is
 * cut, the disk has what it would have if each sync had been made at once.
 */
export class DurableFs extends NodeFS {
  /** Files with a deferred sync. */
  readonly #unsynced = new Set<number>()

  /** `onLoad` is called between loading and starting the engine. */
  constructor(
    private readonly given: DurableDirectory,
    private readonly onLoad: (pglite: PGlite) => void,
  ) {
    super(given.directory)
  }

  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options)
    const wire = (module: unknown): void => this.#wire(module as NodeFsModule)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [wire, ...(emscriptenOpts.preRun ?? [])] } }
  }

  override async initialSyncFs(): Promise<void> {
    this.onLoad(this.pg!)
  }

  /** Waits until the deferred syncs are done. If it throws, what the engine believes is no longer true. */
  async settle(): Promise<void> {
    if (this.#unsynced.size === 0) return
    await Promise.all([...this.#unsynced].map(syncFile)).catch((error) => this.#logFullDisk(error))
    this.#unsynced.clear()
  }

  /** Stops syncing for an engine that died: its last changes are never acknowledged. */
  abandon(): void {
    this.#unsynced.clear()
  }

  #settleNow(): void {
    for (const file of this.#unsynced) {
      try {
        fsyncSync(file)
      } catch (cause) {
        if (isFullDisk(cause)) this.given.onFullDisk?.(cause)
        // Without a code: otherwise the engine would take it for the failure of its current operation, and continue.
        throw new Error('a file of the embedded database could not be synced', { cause })
      }
      this.#unsynced.delete(file)
    }
  }

  #logFullDisk(error: unknown): never {
    if (isFullDisk(error)) this.given.onFullDisk?.(error)
    throw error
  }

  #wire({ NODEFS }: NodeFsModule): void {
    for (const kind of KINDS) {
      for (const name of CHANGES[kind]) {
        wrap(NODEFS?.[kind], name, (change, args) => {
          // Its error has no code either: see #settleNow.
          this.given.assertHeld()
          if (this.#unsynced.size > 0) this.#settleNow()
          hideFromOthers(name, args)
          try {
            return change()
          } catch (error) {
            return this.#logFullDisk(error)
          }
        })
      }
    }
    this.#wireOpenings(NODEFS)
    wrap(NODEFS.stream_ops, 'write', (write, [stream]) => {
      const bytes = write()
      this.given.usage.wrote((stream as { path: string }).path, bytes as number)
      return bytes
    })
    NODEFS.stream_ops.fsync = ({ nfd }: { nfd: number }) => {
      this.#unsynced.add(nfd)
      return 0
    }
  }

  #wireOpenings(operations: NodeFsModule['NODEFS']): void {
    const wrapOpening = (kind: Kind, name: string, isFatal: (error: unknown) => boolean): void =>
      wrap(operations[kind], name, (open, args) => {
        try {
          return this.given.descriptors.use(open, filesOpened(name, args[0]))
        } catch (cause) {
          if (isFullDisk(cause)) this.given.onFullDisk?.(cause)
          if (!isFatal(cause)) throw cause
          // Without an errno: see #settleNow.
          throw new Error('a file of the embedded database could not be opened', { cause })
        }
      })
    for (const kind of KINDS) {
      for (const name of OPENINGS[kind]) wrapOpening(kind, name, () => true)
      // Truncating opens the file if only its path is known.
      wrapOpening(kind, 'setattr', (error) => NO_DESCRIPTORS.includes((error as { errno?: unknown }).errno))
    }
    wrapOpening('stream_ops', 'close', () => false)
  }
}

/** Wraps an operation with `around`, which gets the original call and the arguments. */
function wrap(
  operations: Record<string, unknown> | undefined,
  name: string,
  around: (call: () => unknown, args: unknown[]) => unknown,
): void {
  const operation = operations?.[name]
  if (typeof operation !== 'function') {
    throw new Error(`this version of PGlite is unknown: its file system has no ${name}`)
  }
  operations![name] = (...args: unknown[]) => around(() => operation.apply(operations, args), args)
}

/** Returns how an operation changes the number of open files. A duplicate shares its file with others. */
function filesOpened(operation: string, stream: unknown): number {
  if (operation === 'open') return 1
  if (operation !== 'close') return 0
  const { nfd, shared } = stream as { nfd?: number; shared: { refcount: number } }
  return nfd !== undefined && shared.refcount === 1 ? -1 : 0
}

/** The engine ignores the umask, and would make its files readable and writable for every user of the machine. */
function hideFromOthers(operation: string, given: unknown[]): void {
  const attributes = given[1] as { mode?: number }
  if (operation === 'mknod') given[2] = (given[2] as number) & ~0o077
  else if (operation === 'setattr' && attributes.mode !== undefined) attributes.mode &= ~0o077
}

function syncFile(file: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(file, (error) => (error ? reject(error) : resolve())))
}

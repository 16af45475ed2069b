import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.js'
import { groupAddress } from '../lib/addresses.js'
import { limit } from '../lib/limits.js'

const RETRY_SECONDS = 5
const MEMORY = {
  /** Bodies of callers who are not identified yet, by address. */
  strangers: limit('strangersBodyBytes'),
  /** Bodies of senders with a write key, by source: the key is in a page, and therefore not a secret. */
  senders: limit('sendersBodyBytes'),
  /** Bodies of callers identified by the head, per caller. */
  callers: limit('callersBodyBytes'),
} as const

/** The owner of bodies that share a part of the memory. */
export interface Holder {
  group: keyof typeof MEMORY
  id: string
}

export const strangerAt = (address: string): Holder => ({ group: 'strangers', id: groupAddress(address) })

/** The memory of one body. */
export interface Holding {
  /** Reserves more bytes; other bodies, or this one, may have to be dropped for them. */
  take(bytes: number): void
  /** The body has arrived, and is no longer dropped for others. */
  complete(): void
}

interface Held {
  group: GroupState
  id: string
  /** Set from the first byte on. */
  holder: HolderState | undefined
  bytes: number
  isOver: boolean
  end(error: Error): void
}

interface HolderState {
  bytes: number
  /** The bodies that are still arriving, oldest first. */
  arriving: Set<Held>
}

interface GroupState {
  bytesMax: number
  bytes: number
  holders: Map<string, HolderState>
}

/**
 * The memory that request bodies take until they are answered, including incomplete ones. When none is left, the oldest
 * arriving body of the holder with the most memory is dropped: an ordinary body arrives in a moment, and bodies that are
 * held back are old. Each group has separate memory, so strangers take none from callers; and a holder gets only a part of
 * it.
 */
export class HeldBodies {
  private readonly groups: Record<Holder['group'], GroupState>
  private readonly held = new WeakMap<IncomingMessage, Held>()

  constructor(
    memory: Readonly<Record<Holder['group'], number>> = MEMORY,
    private readonly ofHolderMax = limit('holderBodyBytes'),
  ) {
    const group = (bytesMax: number): GroupState => ({ bytesMax, bytes: 0, holders: new Map() })
    this.groups = {
      strangers: group(memory.strangers),
      senders: group(memory.senders),
      callers: group(memory.callers),
    }
  }

  /** `end` is called with bodies_busy if the body must be dropped; its memory is then free. */
  hold(request: IncomingMessage, { group, id }: Holder, end: (error: Error) => void): Holding {
    const held: Held = { group: this.groups[group], id, holder: undefined, bytes: 0, isOver: false, end }
    this.held.set(request, held)
    return {
      take: (bytes) => this.take(held, bytes),
      complete: () => void held.holder?.arriving.delete(held),
    }
  }

  /** The request is over, or nothing reads its body any longer. */
  release(request: IncomingMessage): void {
    const held = this.held.get(request)
    if (held !== undefined) this.free(held)
  }

  private take(held: Held, bytes: number): void {
    if (held.isOver || bytes === 0) return
    const { group, id } = held
    held.holder ??= joinHolder(group, id, held)
    const { holder } = held
    held.bytes += bytes
    holder.bytes += bytes
    group.bytes += bytes
    while (holder.bytes > this.ofHolderMax && !held.isOver) this.end(oldest(holder) ?? held)
    while (group.bytes > group.bytesMax && !held.isOver) this.end(heaviest(group) ?? held)
  }

  private end(held: Held): void {
    this.free(held)
    held.end(new ApiError('bodies_busy', { retryAfterSeconds: RETRY_SECONDS }))
  }

  private free(held: Held): void {
    held.isOver = true
    const { group, id, holder, bytes } = held
    held.bytes = 0
    if (holder === undefined) return
    holder.arriving.delete(held)
    holder.bytes -= bytes
    group.bytes -= bytes
    if (holder.bytes === 0 && group.holders.get(id) === holder) group.holders.delete(id)
  }
}

function joinHolder({ holders }: GroupState, id: string, held: Held): HolderState {
  const holder = holders.get(id) ?? { bytes: 0, arriving: new Set() }
  holders.set(id, holder)
  holder.arriving.add(held)
  return holder
}

const oldest = ({ arriving }: HolderState): Held | undefined => arriving.values().next().value

function heaviest({ holders }: GroupState): Held | undefined {
  let most: HolderState | undefined
  for (const holder of holders.values()) {
    if (holder.arriving.size > 0 && holder.bytes > (most?.bytes ?? 0)) most = holder
  }
  return most && oldest(most)
}

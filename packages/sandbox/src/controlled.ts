import type { PanelActions } from './breakage.js'
import type { Comments } from './comments/comments.js'
import type { Faults } from './faults.js'
import type { Clock } from './lib/clock.js'
import type { SandboxModel } from './model.js'
import type { SandboxPublication } from './publications.js'
import type { RecordedRequest } from './route.js'
import type { Senders } from './senders/senders.js'

/** The parts of the sandbox that programs read and set below `/sandbox`. */
export interface Controlled {
  url: string
  model: SandboxModel
  clock: Clock
  faults: Faults
  comments: Comments
  senders: Senders
  requests: RecordedRequest[]
  publications: () => SandboxPublication[]
  actions: Partial<PanelActions>
  wait: (ms: number) => Promise<void>
}

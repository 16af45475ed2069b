import type { Fault } from './faults.js'
import type { SandboxModel } from './model.js'
import type { RecordedRequest } from './route.js'

/** Something that a button of the panel breaks for a while. */
export interface Breakage {
  title: string
  /** Tells what it does, and what people see then. */
  text: string
  /** How long it stays. */
  seconds: number
  /** The requests that have the fault; none where it is a habit. */
  match?(request: RecordedRequest, model: SandboxModel): boolean
  fault?: Fault
  /** Something that happens as people comment. */
  habit?: 'doubled' | 'inbox' | 'publicly'
  /** It happens once, at the first request that matches, and calls the function of this name. */
  once?: keyof PanelActions
}

/** Actions of the panel beyond the platform's. */
export interface PanelActions {
  killPublisher(): void
}

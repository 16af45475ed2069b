import type { Fault, Habit } from './faults.js'
import type { RequestGroup } from './requests.js'

/** Something that a button of the panel breaks for a while. */
export interface Breakage {
  title: string
  /** Tells what it does, and what people see then. */
  text: string
  /** How long it stays. */
  seconds: number
  /** The requests that have the fault; none where it is a habit. */
  on?: RequestGroup
  fault?: Fault
  /** Something that happens as people comment. */
  habit?: Habit
  /** It happens once, at the first request of its group, and calls the function of this name. */
  once?: keyof PanelActions
}

/** Actions of the panel beyond the platform's. */
export interface PanelActions {
  killPublisher(): void
}

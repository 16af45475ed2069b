import type { Fault, Habit } from './faults.js'
import type { RequestGroup } from './requests.js'

/** A failure that a button of the panel causes for a while. */
export interface Breakage {
  title: string
  /** Explains what it does, and what people then see. */
  text: string
  /** How long it lasts. */
  seconds: number
  /** The requests that fail; none for a habit. */
  on?: RequestGroup
  fault?: Fault
  /** A habit, which applies when people comment. */
  habit?: Habit
  /** It happens once, at the first request of its group, and calls this function. */
  once?: keyof PanelActions
}

/** The panel's actions outside the platform. */
export interface PanelActions {
  killPublisher(): void
}

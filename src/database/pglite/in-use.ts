import { StartError } from '../../lib/start-error.js'

/** Another process holds the data directory, or none can be kept out of it. */
export class DataDirectoryInUseError extends StartError {
  /** The process that holds the directory; undefined if none is known. */
  readonly holder: string | undefined

  constructor(finding: string, { remedy, ...options }: ErrorOptions & { remedy?: string } = {}) {
    super(remedy === undefined ? finding : `${finding}: ${remedy}`, options)
    this.holder = remedy === undefined ? undefined : finding
  }
}

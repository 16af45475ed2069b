import { StartError } from '../../lib/start-error.js'

/** Another process holds the data directory, or none can be kept out of it. */
export class DataDirectoryInUseError extends StartError {}

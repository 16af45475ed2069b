import { guardTransactions } from '../src/database/transaction.js'

/** Runs before each test file. */
guardTransactions()

import './change-log.writers.test.js'

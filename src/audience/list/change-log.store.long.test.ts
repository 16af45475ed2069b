import './change-log.store.test.js'

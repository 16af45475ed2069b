import './list-memory.test.js'

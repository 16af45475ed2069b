import './lifecycle.test.js'

import './age.test.js'

"""Recorded output of real test runners in a project with a missing or wrong function; paths are shortened.

pytest 9, unittest of Python 3.12, node 20, jest 29, vitest 2, mocha 10, go 1.19, cargo, javac 17.
"""

from typing import Final

PYTEST: Final = """\
..FF                                                                     [100%]
=================================== FAILURES ===================================
______________________________ test_total[items1] ______________________________

items = [1, 2]

    @pytest.mark.parametrize("items", [[], [1, 2]])
    def test_total(items):
>       assert total(items) == sum(items)
E       assert 0 == 3
E        +  where 0 = total([1, 2])
E        +  and   3 = sum([1, 2])

tests/test_price.py:11: AssertionError
_____________________________ TestMore.test_inner ______________________________

self = <test_price.TestMore object at 0x7f0d9d293c20>

    def test_inner(self):
>       import nowhere
E       ModuleNotFoundError: No module named 'nowhere'

tests/test_price.py:15: ModuleNotFoundError
=========================== short test summary info ============================
FAILED tests/test_price.py::test_total[items1] - assert 0 == 3
 +  where 0 = total([1, 2])
 +  and   3 = sum([1, 2])
FAILED tests/test_price.py::TestMore::test_inner - ModuleNotFoundError: No module named 'nowhere'
2 failed, 2 passed in 0.32s"""

PYTEST_WITHIN: Final = """\
F                                                                        [100%]
=================================== FAILURES ===================================
__________________________________ test_inner __________________________________

    def test_inner():
>       import nowhere
E       ModuleNotFoundError: No module named 'nowhere'

tests/test_price.py:15: ModuleNotFoundError
=========================== short test summary info ============================
FAILED tests/test_price.py::test_inner - ModuleNotFoundError: No module named 'nowhere'
1 failed in 0.32s"""

PYTEST_UNLOADED: Final = """\

==================================== ERRORS ====================================
______________________ ERROR collecting tests/test_new.py ______________________
ImportError while importing test module '/tree/tests/test_new.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
/usr/lib/python3.12/importlib/__init__.py:90: in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
tests/test_new.py:1: in <module>
    from price import discount
E   ImportError: cannot import name 'discount' from 'price' (/tree/price.py)
=========================== short test summary info ============================
ERROR tests/test_new.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
1 error in 1.32s"""

PYTEST_WORKERS: Final = """\
[gw0] [ 25%] PASSED tests/test_price.py::test_nothing
[gw1] [ 50%] FAILED tests/test_price.py::test_total[items1]
[gw1] [100%] FAILED tests/test_price.py::TestMore::test_inner"""

UNITTEST: Final = """\
test_new (unittest.loader._FailedTest.test_new) ... ERROR
test_nothing (test_price.PriceTest.test_nothing) ... ok
test_other (test_price.PriceTest.test_other) ... ERROR
test_subs (test_price.PriceTest.test_subs) ...\x20
  test_subs (test_price.PriceTest.test_subs) (i=1) ... FAIL
test_total (test_price.PriceTest.test_total)
It sums. ... FAIL

======================================================================
ERROR: test_new (unittest.loader._FailedTest.test_new)
----------------------------------------------------------------------
ImportError: Failed to import test module: test_new
Traceback (most recent call last):
  File "/usr/lib/python3.12/unittest/loader.py", line 394, in _find_test_path
    module = self._get_module_from_name(name)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/tree/test_new.py", line 2, in <module>
    from price import discount
ImportError: cannot import name 'discount' from 'price' (/tree/price.py)


======================================================================
ERROR: test_other (test_price.PriceTest.test_other)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/tree/test_price.py", line 12, in test_other
    price.discount(3)
    ^^^^^^^^^^^^^^
AttributeError: module 'price' has no attribute 'discount'

----------------------------------------------------------------------
Ran 5 tests in 0.012s

FAILED (failures=2, errors=2)"""

UNITTEST_UNLOADED: Final = """\
E
======================================================================
ERROR: test_new (unittest.loader._FailedTest.test_new)
----------------------------------------------------------------------
ImportError: Failed to import test module: test_new
Traceback (most recent call last):
  File "/usr/lib/python3.12/unittest/loader.py", line 137, in loadTestsFromName
    module = __import__(module_name)
             ^^^^^^^^^^^^^^^^^^^^^^^
  File "/tree/test_new.py", line 2, in <module>
    from price import discount
ImportError: cannot import name 'discount' from 'price' (/tree/price.py)


----------------------------------------------------------------------
Ran 1 test in 0.000s

FAILED (errors=1)"""

NODE_TAP: Final = """\
TAP version 13
# Subtest: nothing
ok 1 - nothing
  ---
  duration_ms: 2.261347
  ...
# Subtest: adds two numbers
not ok 2 - adds two numbers
  ---
  duration_ms: 1.427797
  location: '/tree/test/price.test.mjs:5:1'
  failureType: 'testCodeFailure'
  error: '0 == 3'
  code: 'ERR_ASSERTION'
  ...
# Subtest: calls what is not there
not ok 3 - calls what is not there
  ---
  duration_ms: 0.259159
  error: 'price.discount is not a function'
  code: 'ERR_TEST_FAILURE'
  name: 'TypeError'
  ...
1..3
# tests 3
# pass 1
# fail 2"""

NODE_TAP_UNLOADED: Final = """\
TAP version 13
# file:///tree/test/new.test.mjs:3
# import { discount } from '../price.mjs';
#          ^^^^^^^^
# SyntaxError: The requested module '../price.mjs' does not provide an export named 'discount'
#     at ModuleJob._instantiate (node:internal/modules/esm/module_job:213:21)
# Node.js v20.20.2
# Subtest: /tree/test/new.test.mjs
not ok 1 - /tree/test/new.test.mjs
  ---
  duration_ms: 194.623334
  location: '/tree/test/new.test.mjs:1:1'
  failureType: 'testCodeFailure'
  exitCode: 1
  error: 'test failed'
  code: 'ERR_TEST_FAILURE'
  ...
1..1
# tests 1
# pass 0
# fail 1"""

NODE_SPEC: Final = """\
node:internal/modules/esm/resolve:283
    throw new ERR_MODULE_NOT_FOUND(
          ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/tree/discount.mjs' imported from /tree/test/gone.test.mjs
    at finalizeResolution (node:internal/modules/esm/resolve:283:11)
  code: 'ERR_MODULE_NOT_FOUND',
  url: 'file:///tree/discount.mjs'
}

Node.js v20.20.2
✖ /tree/test/gone.test.mjs (154.593031ms)
  'test failed'

✔ nothing (1.486406ms)
✖ adds two numbers (1.372529ms)
  AssertionError [ERR_ASSERTION]: 0 == 3
      at TestContext.<anonymous> (file:///tree/test/price.test.mjs:5:41) {
    code: 'ERR_ASSERTION',
  }

▶ suite
  ✖ inner test (0.3874ms)
    AssertionError [ERR_ASSERTION]: 1 == 2
\u2139 tests 4
\u2139 pass 1
\u2139 fail 3

✖ failing tests:

test at test/gone.test.mjs:1:1
✖ /tree/test/gone.test.mjs (154.593031ms)
  'test failed'"""

NODE_SPEC_UNLOADED: Final = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '../discount.cjs'
Require stack:
- /tree/test/old.test.cjs
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/tree/test/old.test.cjs' ]
}

Node.js v20.20.2
✖ /tree/test/old.test.cjs (201.015354ms)
  'test failed'

\u2139 tests 1
\u2139 fail 1

✖ failing tests:

test at test/old.test.cjs:1:1
✖ /tree/test/old.test.cjs (201.015354ms)
  'test failed'"""

JEST: Final = """\
FAIL j/price.test.cjs
  ● price \u203a adds two numbers

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 0

      at Object.<anonymous> (j/price.test.cjs:4:58)

  ● price \u203a discounts

    TypeError: discount is not a function

      at Object.<anonymous> (j/price.test.cjs:5:36)

FAIL j/new.test.cjs
  ● Test suite failed to run

    Cannot find module './discount.cjs' from 'j/new.test.cjs'

    > 1 | const { discount } = require('./discount.cjs');
        |                                                ^
      at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)

Test Suites: 2 failed, 2 total
Tests:       2 failed, 1 passed, 3 total"""

JEST_UNLOADED: Final = JEST[JEST.index("FAIL j/new") :]

VITEST: Final = """\
 RUN  v2.1.9 /tree

 \u276f v/price.test.js (3 tests | 2 failed) 69ms
   \u00d7 price > adds two numbers 56ms
     → expected +0 to be 3 // Object.is equality
   \u00d7 price > discounts 1ms
     → discount is not a function
 \u276f v/new.test.js (0 test)

⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  v/new.test.js [ v/new.test.js ]
Error: Failed to load url ./discount.js (resolved id: ./discount.js) in /tree/v/new.test.js. Does the file exist?
 \u276f loadAndTransform node_modules/vite/dist/node/chunks/dep-BK3b2jBa.js:51969:17

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 2 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  v/price.test.js > price > adds two numbers
AssertionError: expected +0 to be 3 // Object.is equality

 Test Files  2 failed (2)
      Tests  2 failed | 1 passed (3)"""

VITEST_UNLOADED: Final = """\
 \u276f v/new.test.js (0 test)

⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  v/new.test.js [ v/new.test.js ]
Error: Failed to load url ./discount.js (resolved id: ./discount.js) in /tree/v/new.test.js. Does the file exist?

 Test Files  1 failed (1)
      Tests  no tests"""

MOCHA: Final = """\
  price
    ✔ nothing
    1) adds two numbers


  1 passing (20ms)
  1 failing

  1) price
       adds two numbers:

      AssertionError [ERR_ASSERTION]: 0 == 3"""

MOCHA_UNLOADED: Final = """\

 Exception during run: Error: Cannot find module './discount.cjs'
Require stack:
- /tree/m/new.test.cjs
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)"""

GO: Final = """\
# shop/more [shop/more.test]
more/more_test.go:3:38: undefined: Discount
FAIL\tshop/more [build failed]
--- FAIL: TestTotal (0.00s)
    price_test.go:4: got 0
FAIL
FAIL\tshop/price\t0.003s
FAIL"""

GO_UNLOADED: Final = """\
# shop/more
more/more_test.go:2:20: package shop/none is not in GOROOT (/usr/lib/go/src/shop/none)
FAIL\tshop/more [setup failed]
FAIL"""

CARGO: Final = """\
   Compiling price v0.1.0 (/tree)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.62s
     Running unittests src/lib.rs (target/debug/deps/price-257a60aad29ecc9e)

running 1 test
test tests::inside ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/price.rs (target/debug/deps/price-90bd520b87465b5e)

running 1 test
test adds ... FAILED

failures:

---- adds stdout ----

thread 'adds' (31252) panicked at tests/price.rs:2:13:
assertion `left == right` failed
  left: 0
 right: 3


failures:
    adds

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.19s

error: test failed, to rerun pass `--test price`"""

CARGO_UNLOADED: Final = """\
   Compiling price v0.1.0 (/tree)
error[E0425]: cannot find function `discount` in crate `price`
 --> tests/new.rs:2:36
  |
2 | fn discounts() { assert_eq!(price::discount(10), 9); }
  |                                    ^^^^^^^^ not found in `price`

For more information about this error, try `rustc --explain E0425`.
error: could not compile `price` (test "new") due to 1 previous error"""

JAVAC_UNLOADED: Final = """\
PriceTest.java:1: error: cannot find symbol
class PriceTest { void adds() { Price.discount(); } }
                                     ^
  symbol:   method discount()
  location: class Price
1 error"""

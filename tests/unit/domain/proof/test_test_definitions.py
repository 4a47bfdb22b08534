"""Where a test is defined, and where its name is only mentioned."""

import pytest

from shiftwork.domain.proof.test_definitions import defines, is_testish, may_define


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("test_a", "tests/test_x.py", "class TestX:\n    async def test_a(self) -> None:\n        ..."),
        ("test_a", "tests/check.py", '"""it\'s"""\ndef test_a(): ...\n'),
        ("test_a", "x_test.rb", "  def test_a\n  end"),
        ("adds up", "spec/x_spec.rb", "  it 'adds up' do"),
        ("adds up", "a.test.ts", 'it("adds up", () => {})'),
        ("adds up", "a.test.ts", "// it's\ntest.only(\n  `adds up`,\n  async () => {})"),
        ("adds", "a.spec.js", "test ('adds', t => {})"),
        ("TestA", "x_test.go", "func TestA(t *testing.T) {"),
        ("TestA", "x_test.go", "func (s *Suite) TestA() {"),
        ("adds up", "x_test.go", 't.Run("adds up", func(t *testing.T) {})'),
        ("test_a", "tests/x.rs", "fn test_a() {"),
        ("test_a", "src/price.rs", 'fn f<\'a>() {}\n#[test]\n#[ignore = "x"]\nfn test_a() {'),
        ("test_a", "src/price.rs", '#[tokio::test(flavor = "multi_thread")]\nasync fn test_a() {'),
        ("adds", "src/test/java/PriceTest.java", "  @Test\n  void adds() {"),
        ("Adds", "Shop.Tests/Price.cs", "  public async Task Adds()"),
        ("it adds up", "Shop.Tests/Price.cs", '  [Fact(DisplayName = "it adds up")]'),
        ("adds up", "src/test/kotlin/PriceTest.kt", "  fun `adds up`() {"),
        ("testAdds", "tests/PriceTest.php", "  public function testAdds(): void"),
        ("Adds", "price_test.cc", "TEST_F(Price, Adds) {"),
        ("adds up", "test/price.cpp", 'TEST_CASE("adds up", "[sum]") {'),
        ("adds up", "test/price.bats", '@test "adds up" {'),
        ("test_a", "test/price.sh", "test_a() {"),
        ("adds up", "features/price.feature", "  Scenario: adds up\n"),
    ],
)
def test_a_test_is_known_by_how_it_is_written(name: str, path: str, text: str) -> None:
    assert may_define(path)
    assert defines(name, path, text)
    assert not defines(f"{name}s", path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_w.py", 'def test_w():\n    warnings.warn("test_a passed")\n'),
        ("tests/test_w.py", '"""As said:\n\n    def test_a(): ...\n"""\n'),
        ("tests/test_w.py", "'''\ndef test_a(): ...\n'''\n"),
        ("tests/test_w.py", "# def test_a(): ...\n"),
        ("tests/test_w.py", 'said = "def test_a():"\n'),
        ("tests/test_w.py", "test_a = 1\ntest_a()\n"),
        ("tests/w.test.js", "// it('test_a', f)\n/* it('test_a', f) */ console.log('test_a')"),
        ("tests/w.test.js", "describe('test_a', f); const s = \"it('test_a')\""),
        ("tests/w.rs", "// fn test_a() {\n/* fn test_a() */"),
        ("src/price.py", "def test_a(): ...\n"),
        ("src/price.rs", "fn test_a() {"),
        ("README.md", "it('test_a')"),
    ],
)
def test_to_name_a_test_is_not_to_define_it(path: str, text: str) -> None:
    assert not defines("test_a", path, text)


@pytest.mark.parametrize("path", ["latest.py", "contest/a.py", "src/attestation.go", "inspection.js", "testdata.bin"])
def test_a_path_that_has_the_letters_is_not_that_of_a_test(path: str) -> None:
    assert not is_testish(path)

// The well-behaved plugin in C++: does the one ordinary thing that it is told to do.
#include "../legitimate.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <iomanip>
#include <iostream>
#include <locale>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

BAHOST_PLUGIN("Legitimate, C++", "1.0");

namespace {

[[gnu::noinline]] int parse(const std::string &text)
{
    return std::stoi(text);
}

int32_t exceptions(const call *call)
{
    int caught = 0;
    for (const std::string text : {"12", "twelve", "99999999999"}) {
        try {
            parse(text);
        } catch (const std::invalid_argument &) {
            caught += 1;
        } catch (const std::exception &) {
            caught += 10;
        }
    }
    REQUIRE(call, caught == 11);
    return FOUND(call, "two exceptions caught");
}

int32_t exceptions_in_threads(const call *call)
{
    std::atomic<int> caught{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&caught] {
            for (int round = 0; round < 50; round++)
                try {
                    parse("twelve");
                } catch (const std::logic_error &) {
                    caught++;
                }
        });
    for (auto &thread : threads)
        thread.join();
    REQUIRE(call, caught == 200);
    return FOUND(call, "%d exceptions caught in threads", caught.load());
}

int32_t streams(const call *call)
{
    std::cout << "told on stdout: " << std::hex << 255 << std::endl;
    std::cerr << "told on stderr\n";
    std::ostringstream text;
    text << std::fixed << std::setprecision(2) << 3.14159 << ' ' << std::boolalpha << true;
    REQUIRE(call, text.str() == "3.14 true");
    return FOUND(call, "%s", text.str().c_str());
}

int32_t expression(const call *call)
{
    const std::regex level("level-([0-9]+)\\.bin");
    std::smatch match;
    const std::string name = "level-42.bin";
    REQUIRE(call, std::regex_match(name, match, level) && match[1] == "42");
    return FOUND(call, "matched %s", match[1].str().c_str());
}

int32_t files(const call *call)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(call->request->app->container_path) / "Library" / "Levels";
    fs::create_directories(folder / "a" / "b");
    std::ofstream(folder / "a" / "one") << "level one\n";
    fs::copy_file(folder / "a" / "one", folder / "a" / "b" / "two");
    fs::rename(folder / "a" / "one", folder / "a" / "b" / "one");
    fs::resize_file(folder / "a" / "b" / "one", 5);
    fs::resize_file(folder / "a" / "b" / "two", 5);
    int count = 0;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
        count += entry.is_regular_file() && entry.file_size() == 5;
    const auto removed = fs::remove_all(folder);
    REQUIRE(call, count == 2 && removed == 5);
    return FOUND(call, "folders made, walked and removed");
}

int32_t locales(const call *call)
{
    std::ostringstream text;
    text.imbue(std::locale("C.UTF-8"));
    text << std::put_money("1234") << std::toupper('a', text.getloc());
    REQUIRE(call, text.str().back() == 'A');
    return FOUND(call, "locale %s", text.getloc().name().c_str());
}

int32_t async_work(const call *call)
{
    std::vector<std::future<long>> parts;
    for (long i = 0; i < 4; i++)
        parts.push_back(std::async(std::launch::async, [i] {
            std::vector<long> numbers(1000);
            std::iota(numbers.begin(), numbers.end(), i * 1000);
            return std::accumulate(numbers.begin(), numbers.end(), 0L);
        }));
    long sum = 0;
    for (auto &part : parts)
        sum += part.get();
    REQUIRE(call, sum == 3999L * 4000 / 2);
    return FOUND(call, "std::async added up to %ld", sum);
}

int32_t threads(const call *call)
{
    std::mutex lock;
    std::map<std::string, int> counts;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&lock, &counts, i] {
            for (int round = 0; round < 100; round++) {
                const std::lock_guard<std::mutex> guard(lock);
                counts["thread " + std::to_string(i)]++;
            }
        });
    for (auto &thread : threads)
        thread.join();
    REQUIRE(call, counts.size() == 4 && counts["thread 3"] == 100);
    return FOUND(call, "std::thread counted");
}

/* With --on-memory-limit fail: takes what there is, gives it back, goes on. */
int32_t out_of_memory(const call *call)
{
    constexpr std::size_t chunk = 64 * 1024, most = 4096;
    std::vector<std::unique_ptr<char[]>> held;
    held.reserve(most);
    bool was_refused = false;
    try {
        while (held.size() < most) {
            held.emplace_back(new char[chunk]);
            memset(held.back().get(), 1, chunk);
        }
    } catch (const std::bad_alloc &) {
        was_refused = true;
    }
    const std::size_t count = held.size();
    held.clear();
    REQUIRE(call, was_refused && count > 16);
    return FOUND(call, "bad_alloc caught after %zu blocks", count);
}

int32_t uncaught(const call *)
{
    throw std::runtime_error("the level list is torn");
}

const named_activity activities[] = {
    {"exceptions", exceptions}, {"exceptions-in-threads", exceptions_in_threads},
    {"streams", streams},       {"regex", expression},
    {"files", files},           {"locale", locales},
    {"async", async_work},      {"threads", threads},
    {"bad-alloc", out_of_memory}, {"uncaught", uncaught},
};

} // namespace

int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    return run_first_line(host, request, activities, std::size(activities));
}
